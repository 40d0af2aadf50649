package dev.muster.server.http.extender;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/// A cursor over one JSON document, on Jackson's streaming parser, without a tree.
///
/// A callback at a value leaves the cursor at the last token of that value. Values that no callback
/// reads are skipped, but still checked.
///
/// Hostile documents are bounded: depth 200, keys of 4 KiB, numbers of 100 digits, and no duplicate
/// key in an object that is read. A document of which a tree is made has at most 100,000 tokens for
/// each pod.
///
/// Memory beyond the bytes of a document goes to different keys, which the parser keeps, and to
/// elements of arrays that are read. Both are bounded. A limit of all tokens would not help: a full
/// node has 1,200 of them, one for each 15 bytes, but 200 keys, of which other nodes have the same.
public final class JsonCursor {
  /// Reads the value of a key.
  @FunctionalInterface
  interface AtKey {
    void read(String key) throws IOException, MalformedRequest;
  }

  /// Reads a value of an array.
  @FunctionalInterface
  interface AtElement {
    void read() throws IOException, MalformedRequest;
  }

  private static final int DEPTH = 200;

  /// A preempt call of 15,000 nodes has their names as keys. Of a full node, one or two keys in the
  /// managed fields are its own: `v:"10.0.1.0/24"`.
  private static final int MOST_KEYS = 100_000;

  /// An offer has up to 15,000 nodes. A preempt call has the victims of each candidate.
  private static final int MOST_ELEMENTS = 250_000;

  /// Parsers of this factory keep no keys to find duplicates; [JsonCursor] does for what it reads.
  public static final JsonFactory FACTORY = factory(Long.MAX_VALUE, false);

  /// An object of three bytes takes a hundred in a tree, and the collector stops all threads to
  /// copy it. A new pod with 1,000 variables has about 15,000 tokens, with its managed fields.
  private static final long MOST_TOKENS = 100_000;

  private static final JsonFactory TREES = factory(MOST_TOKENS, true);
  private static final JsonFactory TREES_OF_TWO = factory(2 * MOST_TOKENS, true);

  private static JsonFactory factory(long tokens, boolean findsDuplicates) {
    return new JsonFactoryBuilder()
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .disable(JsonFactory.Feature.CHARSET_DETECTION) // JSON is UTF-8; byte offsets rely on it
        .configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION, findsDuplicates)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(DEPTH)
                .maxNameLength(4096)
                .maxNumberLength(100)
                .maxStringLength(4 << 20)
                .maxTokenCount(tokens)
                .build())
        .build();
  }

  private final byte[] body;
  private final JsonParser parser;
  private final Set<String> keys = new HashSet<>(); // of all objects
  private int elements; // of all arrays that were read

  private JsonCursor(byte[] body, JsonParser parser) {
    this.body = body;
    this.parser = parser;
  }

  /// Reads the body, which must be exactly one JSON object.
  ///
  /// @throws MalformedRequest if the body is anything else, or a reader finds a value of the wrong
  ///   type
  static <T> T readObject(byte[] body, Reader<T> reader) throws MalformedRequest {
    return parse(
        body,
        parser -> {
          if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedRequest("The body is not a JSON object.");
          }
          T read = reader.read(new JsonCursor(body, parser));
          if (parser.nextToken() != null) {
            throw new MalformedRequest("The body continues after the JSON object.");
          }
          return read;
        });
  }

  /// Converts JSON to a value.
  @FunctionalInterface
  public interface Parsing<T> {
    T read(JsonParser parser) throws IOException, MalformedRequest;
  }

  /// Reads the body.
  ///
  /// @throws MalformedRequest if it is not JSON, or exceeds a bound
  public static <T> T parse(byte[] body, Parsing<T> parsing) throws MalformedRequest {
    return parse(FACTORY, body, parsing);
  }

  /// Reads a body of at most 100,000 JSON tokens for each pod. So a tree of it can be made.
  ///
  /// @param pods pods in the body: 1 or 2
  /// @throws MalformedRequest if it is not JSON; [MalformedRequest.Excessive] if it exceeds a bound
  public static <T> T parseTree(byte[] body, int pods, Parsing<T> parsing) throws MalformedRequest {
    return parse(pods == 1 ? TREES : TREES_OF_TWO, body, parsing);
  }

  private static <T> T parse(JsonFactory factory, byte[] body, Parsing<T> parsing)
      throws MalformedRequest {
    try (JsonParser parser = factory.createParser(body)) {
      return parse(parser, parsing);
    } catch (JsonProcessingException broken) {
      throw new MalformedRequest("The body is not valid JSON: %s".formatted(problem(broken)));
    } catch (IOException impossible) {
      throw new MalformedRequest("The body cannot be read: %s".formatted(impossible.getMessage()));
    }
  }

  private static <T> T parse(JsonParser parser, Parsing<T> parsing)
      throws IOException, MalformedRequest {
    try {
      return parsing.read(parser);
    } catch (StreamConstraintsException _) {
      JsonLocation at = parser.currentLocation();
      throw new MalformedRequest.Excessive(
          "The body %s at line %d, column %d."
              .formatted(excess(parser), at.getLineNr(), at.getColumnNr()));
    }
  }

  private static String excess(JsonParser parser) {
    if (parser.getParsingContext().getNestingDepth() > DEPTH) {
      return "is nested deeper than " + DEPTH;
    }
    long mostTokens = parser.streamReadConstraints().getMaxTokenCount();
    return parser.currentTokenCount() > mostTokens
        ? "has more than " + mostTokens + " JSON tokens"
        : "has a key, number or text that is too long";
  }

  /// Reads a document through a cursor.
  @FunctionalInterface
  interface Reader<T> {
    T read(JsonCursor cursor) throws IOException, MalformedRequest;
  }

  private static String problem(JsonProcessingException broken) {
    String text = broken.getOriginalMessage();
    String line =
        text == null ? "unknown problem" : text.lines().findFirst().orElse("unknown problem");
    String brief = line.length() > 200 ? line.substring(0, 200) + "..." : line;
    var at = broken.getLocation();
    return at == null
        ? brief
        : "%s (line %d, column %d).".formatted(brief, at.getLineNr(), at.getColumnNr());
  }

  boolean isNull() {
    return parser.currentToken() == JsonToken.VALUE_NULL;
  }

  /// Calls the reader at the value of each key; a null counts as an object without keys.
  void fields(AtKey reader) throws IOException, MalformedRequest {
    if (isNull()) {
      return;
    }
    expect(JsonToken.START_OBJECT, "an object");
    Set<String> own = new HashSet<>();
    for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
      count(key);
      if (!own.add(key)) {
        throw new MalformedRequest("The key %s is given twice.".formatted(place()));
      }
      parser.nextToken();
      reader.read(key);
    }
  }

  private void count(String key) throws MalformedRequest {
    if (keys.add(key) && keys.size() > MOST_KEYS) {
      throw excessive(MOST_KEYS + " different keys");
    }
  }

  /// Calls the reader at each value; a null counts as an array without values.
  void elements(AtElement reader) throws IOException, MalformedRequest {
    if (isNull()) {
      return;
    }
    expect(JsonToken.START_ARRAY, "an array");
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      elements++;
      if (elements > MOST_ELEMENTS) {
        throw excessive(MOST_ELEMENTS + " elements of arrays");
      }
      reader.read();
    }
  }

  private MalformedRequest excessive(String bound) {
    JsonLocation at = parser.currentLocation();
    return new MalformedRequest.Excessive(
        "The body has more than %s at %s, line %d, column %d."
            .formatted(bound, place(), at.getLineNr(), at.getColumnNr()));
  }

  /// Skips the value.
  void skip() throws IOException, MalformedRequest {
    int depth = 0;
    for (JsonToken token = parser.currentToken(); token != null; token = parser.nextToken()) {
      if (token == JsonToken.FIELD_NAME) {
        count(parser.currentName());
      } else {
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (depth == 0) {
          return;
        }
      }
    }
  }

  /// Returns the string at the cursor; empty for null, as Go reads it.
  String text() throws IOException, MalformedRequest {
    if (isNull()) {
      return "";
    }
    expect(JsonToken.VALUE_STRING, "a string");
    return parser.getText();
  }

  /// Returns the string or number at the cursor, as written.
  String scalar() throws IOException, MalformedRequest {
    if (parser.currentToken() == null || !parser.currentToken().isScalarValue()) {
      throw wrong("a string or a number");
    }
    return isNull() ? "" : parser.getText();
  }

  /// Returns the integer at the cursor; 0 for null.
  long integer() throws IOException, MalformedRequest {
    if (isNull()) {
      return 0;
    }
    expect(JsonToken.VALUE_NUMBER_INT, "an integer");
    return parser.getLongValue();
  }

  /// Returns the offset of the first byte of the value at the cursor.
  int start() {
    return (int) parser.currentTokenLocation().getByteOffset();
  }

  /// Returns the bytes from the offset to the end of the token at the cursor.
  ByteBuffer bytesFrom(int start) {
    int end = (int) parser.currentLocation().getByteOffset();
    return ByteBuffer.wrap(body, start, end - start).slice().asReadOnlyBuffer();
  }

  private void expect(JsonToken token, String what) throws MalformedRequest {
    if (parser.currentToken() != token) {
      throw wrong(what);
    }
  }

  /// Returns the error that the value at the cursor is not the expected one.
  MalformedRequest wrong(String expected) {
    return new MalformedRequest("The value at %s must be %s.".formatted(place(), expected));
  }

  /// Returns the path of the key or value at the cursor.
  private String place() {
    String place = parser.getParsingContext().pathAsPointer().toString();
    return place.length() > 200 ? place.substring(0, 200) + "..." : place;
  }
}
