package dev.muster.simulator.file;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.muster.policy.file.FileProblem;

/// The fields of a JSON object.
///
/// @param line the text of the line that holds the object alone; empty when it spans several
public record JsonCells(JsonNode object, String line) implements Row.Cells {
  private static final String TWICE = "Duplicate field";
  private static final String MORE = "Trailing token";

  /// Reads what users wrote: a field that is there twice is refused, of which else the last would
  /// count, and so is what follows the end, which else would not be looked at.
  public static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /// The JSON object in a line of a file.
  ///
  /// @throws BadFile if something else is there
  public static JsonNode parse(Source source, int line, String text) {
    try {
      JsonNode read = STRICT.readTree(text);
      if (read.isObject()) {
        return read;
      }
      throw wrong(source, line, "is not a JSON object.");
    } catch (JsonProcessingException bad) {
      throw wrong(source, line, fault(bad));
    }
  }

  private static BadFile wrong(Source source, int line, String message) {
    return new BadFile(new FileProblem(source.file(), line, 1, "", message));
  }

  /// What is wrong with a file of JSON, and where. Of a number of thousands of digits nobody says
  /// where it is.
  public static BadFile fault(Source source, JsonProcessingException bad) {
    JsonLocation at = bad.getLocation();
    return new BadFile(
        new FileProblem(
            source.file(),
            at == null ? 1 : at.getLineNr(),
            at == null ? 1 : at.getColumnNr(),
            "",
            fault(bad)));
  }

  /// What is wrong with JSON, and what may be the cause.
  public static String fault(JsonProcessingException bad) {
    String message =
        bad.getOriginalMessage()
            .replaceAll("\\p{Cntrl}", " ")
            .replaceAll(
                " \\(start marker at [^)]*\\)[^)]*\\)", ""); // names no source of the user's
    if (message.startsWith(MORE)) {
      return "text after the end.";
    }
    return message.startsWith(TWICE)
        ? "duplicate field%s.".formatted(message.substring(TWICE.length()))
        : "is not JSON: %s.".formatted(message);
  }

  @Override
  public String text(String column) {
    JsonNode value = object.path(column);
    return value.isNull() ? "" : value.asText();
  }

  @Override
  public int at(String column) {
    return 1 + Math.max(0, line.indexOf('"' + column + '"'));
  }
}
