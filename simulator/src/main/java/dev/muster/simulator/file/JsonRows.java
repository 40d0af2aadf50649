package dev.muster.simulator.file;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/// The values of a JSON list, each read on demand as one part of the document.
///
/// The parser is then at the end of the list.
public final class JsonRows implements Iterator<InputRow> {
  private static final ObjectReader ONE_OF_MANY =
      JsonCells.STRICT.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final InputFile source;
  private final JsonParts parts;

  /// Reads a list.
  ///
  /// @param parts the document, at the start of the list
  public JsonRows(InputFile source, JsonParts parts) {
    this.source = source;
    this.parts = parts;
    parts.clearCurrentToken();
  }

  @Override
  public boolean hasNext() {
    try {
      if (!parts.hasCurrentToken()) {
        parts.nextToken();
      }
      return parts.hasCurrentToken() && !parts.hasToken(JsonToken.END_ARRAY);
    } catch (JsonProcessingException bad) {
      throw JsonCells.fault(source, bad);
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  @Override
  public InputRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException("No more values.");
    }
    try {
      InputRow row = row(source, parts);
      parts.clearCurrentToken();
      return row;
    } catch (JsonProcessingException bad) {
      throw JsonCells.fault(source, bad);
    } catch (IOException failed) {
      throw source.unreadable(failed);
    }
  }

  /// Returns the error of a document that goes on after its end.
  public static MalformedFile after(InputFile source, JsonLocation at) {
    return new MalformedFile(
        new FileProblem(
            source.file(), at.getLineNr(), at.getColumnNr(), "", "text after the end."));
  }

  /// Reads the value at which the parser is, as one part.
  public static InputRow row(InputFile source, JsonParts parts) throws IOException {
    parts.begin();
    int line = parts.currentTokenLocation().getLineNr();
    JsonNode value = ONE_OF_MANY.readTree(parts);
    return new InputRow(source.file(), line, new JsonCells(value, ""));
  }
}
