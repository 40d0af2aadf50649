package dev.muster.deploy.client;

import dev.muster.core.decision.PlainText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A table of text in columns as wide as their longest cell, as kubectl prints it. Cells are made
/// [plain][PlainText].
public final class TextTable {
  private static final String GAP = "   ";

  private final List<String> headers;
  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... headers) {
    this.headers = List.of(headers);
  }

  TextTable row(String... cells) {
    rows.add(Arrays.stream(cells).map(PlainText::line).toList());
    return this;
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /// Prints the rows, below the headers unless these are unwanted.
  ///
  /// @param columns number of columns that are printed, from the left
  void print(PrintWriter out, boolean withHeaders, int columns) {
    List<List<String>> lines = new ArrayList<>();
    if (withHeaders) {
      lines.add(headers);
    }
    lines.addAll(rows);
    int[] widths = new int[columns];
    for (List<String> line : lines) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    for (List<String> line : lines) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        boolean last = i + 1 == columns;
        text.append(line.get(i))
            .append(last ? "" : " ".repeat(widths[i] - line.get(i).length()) + GAP);
      }
      out.println(text.toString().stripTrailing());
    }
  }

  int width() {
    return headers.size();
  }

  /// Returns the headers of all columns.
  public List<String> headers() {
    return headers;
  }

  /// Returns the cells of each row, one for each header.
  public List<List<String>> rows() {
    return List.copyOf(rows);
  }
}
