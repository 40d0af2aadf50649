package dev.muster.server.http.extender;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Writes the answers to kube-scheduler. Every key is present, as Go itself writes it, in the
/// caller's casing.
public final class ExtenderWriter {
  /// The maximum score of the extender protocol, whose scores range from 0 to 10.
  private static final int BEST = 10;

  private ExtenderWriter() {}

  @FunctionalInterface
  private interface Content {
    void write(JsonGenerator out) throws IOException;
  }

  /// Returns the answer to a filter call.
  public static byte[] filter(FilterAnswer answer, KeyCasing casing) {
    return json(out -> {
      out.writeStartObject();
      switch (casing) {
        case GO -> go(out, answer);
        case LEGACY -> legacy(out, answer);
      }
      out.writeEndObject();
    });
  }

  private static void go(JsonGenerator out, FilterAnswer answer) throws IOException {
    out.writeFieldName("Nodes");
    nodes(out, answer);
    out.writeFieldName("NodeNames");
    names(out, answer);
    out.writeObjectFieldStart("FailedNodes");
    out.writeEndObject();
    out.writeFieldName("FailedAndUnresolvableNodes");
    refusals(out, answer);
    out.writeStringField("Error", answer.error());
  }

  /// Writes the only failure map that versions up to 1.17 know.
  private static void legacy(JsonGenerator out, FilterAnswer answer) throws IOException {
    out.writeFieldName("nodes");
    nodes(out, answer);
    out.writeFieldName("nodenames");
    names(out, answer);
    out.writeFieldName("failedNodes");
    refusals(out, answer);
    out.writeStringField("error", answer.error());
  }

  private static void nodes(JsonGenerator out, FilterAnswer answer) throws IOException {
    if (!(answer.passing().orElse(null) instanceof OfferedNodes.Objects(var nodes))) {
      out.writeNull();
      return;
    }
    out.writeStartObject();
    out.writeObjectFieldStart("metadata");
    out.writeEndObject();
    out.writeArrayFieldStart("items");
    for (OfferedNodes.NodeObject node : nodes) {
      out.writeRawValue(text(node.json()));
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  private static String text(ByteBuffer json) {
    return StandardCharsets.UTF_8.decode(json.duplicate()).toString();
  }

  private static void names(JsonGenerator out, FilterAnswer answer) throws IOException {
    if (!(answer.passing().orElse(null) instanceof OfferedNodes.Names(var names, var json))) {
      out.writeNull();
      return;
    }
    out.writeStartArray();
    if (json.isPresent()) {
      copy(out, json.get());
    } else {
      for (String name : names) {
        string(out, name);
      }
    }
    out.writeEndArray();
  }

  /// Writes the elements of an array of strings by its bytes. The generator adds the first and the
  /// last quote.
  private static void copy(JsonGenerator out, ByteBuffer array) throws IOException {
    byte[] inside = new byte[array.remaining() - 4]; // without brackets and outer quotes
    array.get(2, inside);
    out.writeRawUTF8String(inside, 0, inside.length);
  }

  /// Writes the text as UTF-8, in half the time that the generator takes for a `String`.
  private static void string(JsonGenerator out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeUTF8String(utf8, 0, utf8.length);
  }

  private static void refusals(JsonGenerator out, FilterAnswer answer) throws IOException {
    out.writeStartObject();
    if (answer.refusal().isPresent()) {
      out.writeStringField(answer.refusal().get().node(), answer.refusal().get().reason());
    }
    out.writeEndObject();
  }

  /// Returns the answer to a prioritize call, a bare array of the best nodes. A node that is
  /// missing has the score 0 for kube-scheduler.
  public static byte[] scores(List<String> best, KeyCasing casing) {
    boolean go = casing == KeyCasing.GO;
    return json(out -> {
      out.writeStartArray();
      for (String node : best) {
        out.writeStartObject();
        out.writeFieldName(go ? "Host" : "host");
        string(out, node);
        out.writeNumberField(go ? "Score" : "score", BEST);
        out.writeEndObject();
      }
      out.writeEndArray();
    });
  }

  /// Returns the answer to a preempt call.
  public static byte[] preemption(List<PreemptionArgs.Candidate> kept, KeyCasing casing) {
    boolean go = casing == KeyCasing.GO;
    return json(out -> {
      out.writeStartObject();
      out.writeObjectFieldStart(go ? "NodeNameToMetaVictims" : "nodeNameToMetaVictims");
      for (PreemptionArgs.Candidate candidate : kept) {
        out.writeObjectFieldStart(candidate.node());
        out.writeArrayFieldStart(go ? "Pods" : "pods");
        for (String uid : candidate.uids()) {
          out.writeStartObject();
          out.writeFieldName(go ? "UID" : "uid");
          string(out, uid);
          out.writeEndObject();
        }
        out.writeEndArray();
        out.writeNumberField(
            go ? "NumPDBViolations" : "numPDBViolations", candidate.pdbViolations());
        out.writeEndObject();
      }
      out.writeEndObject();
      out.writeEndObject();
    });
  }

  private static byte[] json(Content content) {
    try (ByteArrayBuilder bytes = new ByteArrayBuilder()) {
      try (JsonGenerator out = JsonCursor.FACTORY.createGenerator(bytes)) {
        content.write(out);
      }
      return bytes.toByteArray();
    } catch (IOException impossible) {
      throw new UncheckedIOException("Writing to memory failed.", impossible);
    }
  }
}
