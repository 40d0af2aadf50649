package dev.muster.simulator.file;

import com.fasterxml.jackson.databind.JsonNode;

/// The fields of a JSON object.
///
/// @param line the text of the line that holds the object alone; empty when it spans several
public record JsonCells(JsonNode object, String line) implements Row.Cells {
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
