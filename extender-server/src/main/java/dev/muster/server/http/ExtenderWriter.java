package dev.muster.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Writes what kube-scheduler reads, every key present as Go itself writes it, in the caller's
/// casing.
final class ExtenderWriter {
  private static final SerializedString HOST = new SerializedString("Host");
  private static final SerializedString SCORE = new SerializedString("Score");
  private static final SerializedString HOST_LEGACY = new SerializedString("host");
  private static final SerializedString SCORE_LEGACY = new SerializedString("score");

  private static final byte[] PASSING = PlainCursor.ascii("{\"Nodes\":null,\"NodeNames\":");
  private static final byte[] PASSED =
      PlainCursor.ascii(",\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");
  private static final byte[] FIRST = PlainCursor.ascii("[{\"Host\":\"");
  private static final byte[] BEST =
      PlainCursor.ascii("\",\"Score\":%d},{\"Host\":\"".formatted(Scores.BEST));
  private static final byte[] SPARED = PlainCursor.ascii("{\"NodeNameToMetaVictims\":{");
  private static final byte[] CLOSED = PlainCursor.ascii("}}");

  private ExtenderWriter() {}

  @FunctionalInterface
  private interface Content {
    void write(JsonGenerator out) throws IOException;
  }

  /// The answer to a filter call.
  static byte[] filter(FilterAnswer answer, Casing casing) {
    return answer.passing().orElse(null) instanceof NamesInBody names
            && answer.refusal().isEmpty()
            && casing == Casing.GO
        ? names.between(PASSING, PASSED)
        : written(answer, casing);
  }

  private static byte[] written(FilterAnswer answer, Casing casing) {
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

  /// Up to 1.17 there is one failure map only.
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
    OfferedNodes passing = answer.passing().orElse(null);
    if (passing == null || passing instanceof OfferedNodes.Objects) {
      out.writeNull();
      return;
    }
    out.writeStartArray();
    for (String name : passing.names()) {
      out.writeString(name);
    }
    out.writeEndArray();
  }

  private static void refusals(JsonGenerator out, FilterAnswer answer) throws IOException {
    out.writeStartObject();
    if (answer.refusal().isPresent()) {
      out.writeStringField(answer.refusal().get().node(), answer.refusal().get().reason());
    }
    out.writeEndObject();
  }

  /// The answer to a prioritize call: a bare array of the best. kube-scheduler takes a node that is
  /// left out for one of score 0.
  static byte[] scores(Scores scores, Casing casing) {
    return scores.offer() instanceof NamesInBody names && casing == Casing.GO
        ? scores(scores, names)
        : scores(scores.best(), casing);
  }

  /// Each name is copied from the body, then the text up to the next name: with two copies for each
  /// name, a long answer is written in a fraction of the time that a generator takes.
  private static byte[] scores(Scores scores, NamesInBody names) {
    byte[] json = new byte[FIRST.length + names.length() * 3 / 2];
    int at = put(FIRST, 0, FIRST.length, json, 0);
    for (PlainCursor name = names.walk(); name.takeListed(); ) {
      if (!scores.worst().contains(names.body(), name.start(), name.end())) {
        json = withRoom(json, at + name.end() - name.start() + BEST.length);
        at = put(names.body(), name.start(), name.end(), json, at);
        at = put(BEST, 0, BEST.length, json, at);
      }
    }
    if (at == FIRST.length) {
      return PlainCursor.ascii("[]");
    }
    int end = at - FIRST.length; // there begins what would come before one more name
    json[end] = ']';
    return Arrays.copyOf(json, end + 1);
  }

  private static byte[] withRoom(byte[] json, int length) {
    return length <= json.length ? json : Arrays.copyOf(json, 2 * length);
  }

  private static int put(byte[] from, int start, int end, byte[] to, int at) {
    System.arraycopy(from, start, to, at, end - start);
    return at + end - start;
  }

  private static byte[] scores(List<String> best, Casing casing) {
    SerializedString host = casing == Casing.GO ? HOST : HOST_LEGACY;
    SerializedString score = casing == Casing.GO ? SCORE : SCORE_LEGACY;
    return json(out -> {
      out.writeStartArray();
      for (String node : best) {
        out.writeStartObject();
        out.writeFieldName(host);
        out.writeString(node);
        out.writeFieldName(score);
        out.writeNumber(Scores.BEST);
        out.writeEndObject();
      }
      out.writeEndArray();
    });
  }

  /// The answer to a preempt call.
  static byte[] preemption(ProposedVictims kept, Casing casing) {
    return switch (kept) {
      case VictimsInBody victims -> victims.between(SPARED, CLOSED);
      case ProposedVictims.Listed(var list) -> spared(list, casing);
    };
  }

  private static byte[] spared(List<PreemptionArgs.Candidate> kept, Casing casing) {
    boolean go = casing == Casing.GO;
    return json(out -> {
      out.writeStartObject();
      out.writeObjectFieldStart(go ? "NodeNameToMetaVictims" : "nodeNameToMetaVictims");
      for (PreemptionArgs.Candidate candidate : kept) {
        out.writeObjectFieldStart(candidate.node());
        out.writeArrayFieldStart(go ? "Pods" : "pods");
        for (String uid : candidate.uids()) {
          out.writeStartObject();
          out.writeStringField(go ? "UID" : "uid", uid);
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
