package dev.muster.simulator.file;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Parses a JSON document of any size in parts, which have a maximum size.
///
/// A caller keeps one part in memory at a time, such as one job of a list.
public final class JsonParts extends JsonParserDelegate {
  /// The maximum size of a part in bytes of the unzipped document.
  static final int MOST = 1 << 20;

  private final InputFile source;
  private long start;
  private int line = 1;

  private JsonParts(InputFile source, JsonParser parser) {
    super(parser);
    this.source = source;
  }

  /// Opens the document. The first part is its beginning.
  ///
  /// @throws MalformedFile if it cannot be opened
  public static JsonParts of(InputFile source) throws IOException {
    return new JsonParts(source, JsonCells.STRICT.createParser(source.stream()));
  }

  /// Begins a part at the current token; it ends where the next part begins.
  public void begin() {
    JsonLocation at = currentTokenLocation();
    start = offset(at);
    line = at.getLineNr();
  }

  @Override
  public @Nullable JsonToken nextToken() throws IOException {
    JsonToken token = delegate.nextToken();
    if (offset(currentLocation()) - start > MOST) {
      throw new MalformedFile(
          new FileProblem(
              source.file(),
              line,
              1,
              "",
              "the JSON value has more than %,d bytes, the maximum.".formatted(MOST)));
    }
    return token;
  }

  @Override
  public JsonParser skipChildren() throws IOException {
    JsonToken token = currentToken();
    int open = token != null && token.isStructStart() ? 1 : 0;
    while (open > 0) {
      JsonToken next = nextToken();
      open += next == null ? -open : next.isStructStart() ? 1 : next.isStructEnd() ? -1 : 0;
    }
    return this;
  }

  /// Skips the value at which the parser is, whatever its size, and begins a part.
  public void pass() throws IOException {
    delegate.skipChildren();
    begin();
  }

  /// Only UTF-8 is parsed as bytes; other encodings have an offset in characters.
  private static long offset(JsonLocation at) {
    return Math.max(at.getByteOffset(), at.getCharOffset());
  }
}
