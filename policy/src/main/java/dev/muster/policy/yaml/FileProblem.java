package dev.muster.policy.yaml;

import java.util.Comparator;

/// One mistake in an admin's file. Problems are ordered by file, line and column.
///
/// @param file the file as the admin named it
/// @param line counted from 1; 0 for the file as a whole
/// @param column counted from 1; 0 for the file as a whole
/// @param field the path of the field, like `topology.levels[1].label`; empty for the file
/// @param message the mistake, the value, and a remedy if there is one
public record FileProblem(String file, int line, int column, String field, String message)
    implements Comparable<FileProblem> {

  private static final Comparator<FileProblem> READING_ORDER =
      Comparator.comparing(FileProblem::file)
          .thenComparingInt(FileProblem::line)
          .thenComparingInt(FileProblem::column)
          .thenComparing(FileProblem::field)
          .thenComparing(FileProblem::message);

  public FileProblem {
    if (line < 0 || column < 0 || (line == 0) != (column == 0)) {
      throw new IllegalArgumentException(
          "Line " + line + ", column " + column + " is not a place in a file: both count from 1.");
    }
  }

  /// Creates a problem of the file as a whole, such as a missing file.
  public static FileProblem ofFile(String file, String message) {
    return new FileProblem(file, 0, 0, "", message);
  }

  /// Returns one line without line break: `muster.yaml:12:5: topology.preset: "gek" is not known.`
  public String render() {
    String place = line == 0 ? file : file + ":" + line + ":" + column;
    return place + ": " + (field.isEmpty() ? "" : field + ": ") + message;
  }

  @Override
  public int compareTo(FileProblem other) {
    return READING_ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return render();
  }
}
