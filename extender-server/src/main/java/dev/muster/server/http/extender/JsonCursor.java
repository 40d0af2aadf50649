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

/// A cursor over one JSON document, on Jackson's streaming parser, without a tree.
///
/// A callback at a value leaves the cursor at the last token of that value. Values that no callback
/// reads are skipped, but still checked.
///
/// Hostile documents are bounded: depth 200, keys of 4 KiB, numbers of 100 digits, and no duplicate
/// key in an object. A document of which a tree is made has at most 100,000 tokens.
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

  public static final JsonFactory FACTORY = factory(Long.MAX_VALUE);

  /// An object of three bytes takes a hundred in a tree, and the collector stops all threads to
  /// copy it. A new pod with 1,000 variables has about 15,000 tokens, with its managed fields.
  private static final long MOST_TOKENS = 100_000;

  private static final JsonFactory TREES = factory(MOST_TOKENS);

  private static JsonFactory factory(long tokens) {
    return new JsonFactoryBuilder()
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .disable(JsonFactory.Feature.CHARSET_DETECTION) // JSON is UTF-8; byte offsets rely on it
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
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

  /// Reads a body of at most 100,000 JSON tokens, so that a tree of it can be made.
  ///
  /// @throws MalformedRequest if it is not JSON; [MalformedRequest.Excessive] if it exceeds a bound
  public static <T> T parseTree(byte[] body, Parsing<T> parsing) throws MalformedRequest {
    return parse(TREES, body, parsing);
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
    return parser.currentTokenCount() > parser.streamReadConstraints().getMaxTokenCount()
        ? "has more than " + MOST_TOKENS + " JSON tokens"
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
    for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
      parser.nextToken();
      reader.read(key);
    }
  }

  /// Calls the reader at each value; a null counts as an array without values.
  void elements(AtElement reader) throws IOException, MalformedRequest {
    if (isNull()) {
      return;
    }
    expect(JsonToken.START_ARRAY, "an array");
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      reader.read();
    }
  }

  /// Skips the value.
  void skip() throws IOException {
    parser.skipChildren();
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
    String place = parser.getParsingContext().pathAsPointer().toString();
    String brief = place.length() > 200 ? place.substring(0, 200) + "..." : place;
    return new MalformedRequest("The value at %s must be %s.".formatted(brief, expected));
  }
}
