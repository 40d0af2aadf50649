package dev.muster.policy.journal;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.topology.Locality;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/// Converts journal lines to bytes and back.
///
/// Records are objects with their components' names. Cases of sealed interfaces are distinguished
/// by `type`. Absent optionals are left out. Lines are ASCII for any text, so nothing is lost and a
/// byte offset is a column.
final class JournalJson {

  /// Possible beginnings of a journal file; a turn comes first if the file was emptied during a
  /// run.
  static final List<String> BEGINNINGS =
      List.of("{\"apiVersion\":\"journal.muster.dev/", "{\"event\":");

  private static final String HEADER_KIND = "Header";
  private static final String CONTINUATION_KIND = "Continuation";
  private static final String IMAGE_KIND = "Image";

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .annotationIntrospector(new SealedTypeModule())
          .addModules(new Jdk8Module(), new TextCodec(), new ShapeCodec(), new TableCodec())
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
          .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
              DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS, MapperFeature.AUTO_DETECT_IS_GETTERS)
          .build();

  private static final ObjectWriter DECISIONS =
      MAPPER.writerFor(new TypeReference<List<Decision>>() {});

  private record HeaderLine(
      String apiVersion,
      String kind,
      List<TopologyLevel> topology,
      Optional<Locality> bandwidths,
      SortedMap<String, String> policies,
      Optional<QueuesPart> queues,
      Optional<Long> turns,
      Optional<byte[]> state) {}

  private record QueuesPart(Duration halfLife, List<Queue> list) {}

  private record ContinuationLine(String apiVersion, String kind, long turns) {}

  private record TurnLine(Event event, List<Decision> decisions) {}

  private record ReadTurn(Event event, JsonNode decisions) {}

  private JournalJson() {}

  static byte[] line(JournalHeader header) throws IOException {
    return line(header, HEADER_KIND, Optional.empty(), Optional.empty());
  }

  static byte[] line(JournalEntry.Image image) throws IOException {
    return line(
        image.header(), IMAGE_KIND, Optional.of(image.turns()), Optional.of(image.packed()));
  }

  private static byte[] line(
      JournalHeader header, String kind, Optional<Long> turns, Optional<byte[]> state)
      throws IOException {
    Topology topology = header.topology();
    Optional<Locality> bandwidths =
        Optional.of(topology.locality()).filter(known -> !known.equals(Locality.UNKNOWN));
    Optional<QueuesPart> queues =
        Optional.of(header.queues())
            .filter(known -> !known.equals(Queues.NONE))
            .map(known -> new QueuesPart(known.halfLife(), known.byName().values()));
    return MAPPER.writeValueAsBytes(
        new HeaderLine(
            JournalHeader.API_VERSION,
            kind,
            topology.levels(),
            bandwidths,
            header.policies(),
            queues,
            turns,
            state));
  }

  static byte[] line(JournalEntry.Continuation continuation) throws IOException {
    return MAPPER.writeValueAsBytes(
        new ContinuationLine(JournalHeader.API_VERSION, CONTINUATION_KIND, continuation.turns()));
  }

  static byte[] line(Event event, List<Decision> decisions) throws IOException {
    return MAPPER.writeValueAsBytes(new TurnLine(event, decisions));
  }

  /// Returns the decisions as they would be read back from their line.
  static JsonNode tree(List<Decision> decisions) throws IOException {
    return MAPPER.readTree(DECISIONS.writeValueAsBytes(decisions));
  }

  /// Reads one line, without its line break.
  ///
  /// @throws IOException of Jackson, with the place, if the line is not understood
  /// @throws IllegalArgumentException if its values are impossible
  static JournalEntry read(String line) throws IOException {
    if (line.isBlank()) {
      throw new IOException("The line is empty.");
    }
    if (!isHeader(line)) {
      return turn(line);
    }
    return switch (kind(line)) {
      case CONTINUATION_KIND -> continuation(line);
      case IMAGE_KIND -> image(line);
      default -> header(line);
    };
  }

  /// True if the line, which may be anything, is a continuation or an image.
  static boolean goesOn(String line) {
    return Set.of(CONTINUATION_KIND, IMAGE_KIND).contains(kind(line));
  }

  private static String kind(String line) {
    try (JsonParser parser = MAPPER.createParser(line)) {
      parser.nextToken();
      parser.nextFieldName();
      parser.nextToken();
      String kind = "kind".equals(parser.nextFieldName()) ? parser.nextTextValue() : null;
      return Objects.requireNonNullElse(kind, "");
    } catch (IOException _) { // not JSON; reported when the line is read
      return "";
    }
  }

  /// True if the line, which may be anything, begins like a header or a continuation.
  static boolean isHeader(String line) {
    return beginsWith(line, "apiVersion");
  }

  /// True if the line, which may be anything, begins like a turn.
  static boolean isTurn(String line) {
    return beginsWith(line, "event");
  }

  private static boolean beginsWith(String line, String field) {
    try (JsonParser parser = MAPPER.createParser(line)) {
      parser.nextToken();
      return field.equals(parser.nextFieldName());
    } catch (IOException _) { // not JSON; reported when the line is read
      return false;
    }
  }

  private static JournalHeader header(String line) throws IOException {
    HeaderLine read = MAPPER.readValue(line, HeaderLine.class);
    demandKnown(read.apiVersion(), read.kind(), HEADER_KIND);
    return header(read);
  }

  private static JournalEntry.Image image(String line) throws IOException {
    HeaderLine read = MAPPER.readValue(line, HeaderLine.class);
    demandKnown(read.apiVersion(), read.kind(), IMAGE_KIND);
    return new JournalEntry.Image(
        read.turns().orElse(0L), header(read), read.state().orElse(new byte[0]));
  }

  private static JournalHeader header(HeaderLine read) {
    Topology topology = new Topology(read.topology(), read.bandwidths().orElse(Locality.UNKNOWN));
    Queues queues =
        read.queues().map(part -> Queues.of(part.list(), part.halfLife())).orElse(Queues.NONE);
    return new JournalHeader(topology, read.policies(), queues);
  }

  private static JournalEntry.Continuation continuation(String line) throws IOException {
    ContinuationLine read = MAPPER.readValue(line, ContinuationLine.class);
    demandKnown(read.apiVersion(), read.kind(), CONTINUATION_KIND);
    return new JournalEntry.Continuation(read.turns());
  }

  private static void demandKnown(String version, String kind, String known) throws IOException {
    if (!version.equals(JournalHeader.API_VERSION) || !kind.equals(known)) {
      throw new IOException(
          "The line is a %s of %s. Known: %s of %s. Another version of Muster may have written it."
              .formatted(kind, version, known, JournalHeader.API_VERSION));
    }
  }

  private static JournalEntry.Turn turn(String line) throws IOException {
    ReadTurn read = turnLine(line);
    if (!read.decisions().isArray()) {
      throw new IOException("The decisions are not a list.");
    }
    return new JournalEntry.Turn(read.event(), read.decisions());
  }

  private static ReadTurn turnLine(String line) throws IOException {
    try (JsonParser parser = MAPPER.createParser(line)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("A turn must be an object.");
      }
      return MAPPER.readValue(parser, ReadTurn.class);
    }
  }
}
