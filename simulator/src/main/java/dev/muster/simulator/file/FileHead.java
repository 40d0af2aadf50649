package dev.muster.simulator.file;

import java.util.List;
import java.util.Set;

/// The beginning of a file, from which its format is detected.
///
/// @param text its first few thousand characters
public record FileHead(String text) {
  /// Returns the first line that is not blank; empty when there is none.
  public String firstLine() {
    return text.lines().filter(line -> !line.isBlank()).findFirst().orElse("").strip();
  }

  /// Returns the columns of the first line, read as the header of a table.
  public List<String> columns() {
    return List.of(firstLine().replace("\"", "").split("\\s*,\\s*", -1));
  }

  /// True if the first line is a header with all these columns.
  public boolean has(Set<String> needed) {
    return columns().containsAll(needed);
  }
}
