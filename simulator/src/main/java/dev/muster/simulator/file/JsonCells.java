package dev.muster.simulator.file;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.muster.policy.yaml.FileProblem;

/// The fields of a JSON object.
///
/// @param line the text of the line with the object only; empty when the object spans several lines
public record JsonCells(JsonNode object, String line) implements InputRow.Cells {
  private static final String TWICE = "Duplicate field";
  private static final String MORE = "Trailing token";

  /// Reads user files strictly.
  ///
  /// Duplicate fields are an error, since otherwise only the last one counts. Text after the end is
  /// an error, since otherwise it is ignored.
  public static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /// Parses the JSON object in a line of a file.
  ///
  /// @throws MalformedFile if the line is anything else
  public static JsonNode parse(InputFile source, int line, String text) {
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

  private static MalformedFile wrong(InputFile source, int line, String message) {
    return new MalformedFile(new FileProblem(source.file(), line, 1, "", message));
  }

  /// Returns the error of a JSON file with its place.
  ///
  /// For a number with thousands of digits the parser gives no location; line 1 is then reported.
  public static MalformedFile fault(InputFile source, JsonProcessingException bad) {
    JsonLocation at = bad.getLocation();
    return new MalformedFile(
        new FileProblem(
            source.file(),
            at == null ? 1 : at.getLineNr(),
            at == null ? 1 : at.getColumnNr(),
            "",
            fault(bad)));
  }

  /// Returns a description of a JSON error.
  public static String fault(JsonProcessingException bad) {
    String message =
        bad.getOriginalMessage()
            .replaceAll("\\p{Cntrl}", " ")
            .replaceAll(
                " \\(start marker at [^)]*\\)[^)]*\\)", ""); // the user does not know this source
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
