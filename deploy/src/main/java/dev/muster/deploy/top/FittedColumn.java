package dev.muster.deploy.top;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

/// A column of a table that has to fit a width.
///
/// Columns that are shown only if there is room go first, from the right. Then the widest one is
/// cut, again and again, down to its least width. What is cut ends with `~`.
///
/// @param source header of the column in the listing
/// @param title header on the screen
/// @param least width in characters below which other columns are left out instead
/// @param right true for numbers, which end at the right
/// @param optional true if it is left out where there is no room
record FittedColumn(String source, String title, int least, boolean right, boolean optional) {
  private static final int GAP = 2;
  private static final int NARROWEST = 3;

  static FittedColumn text(String title, int least) {
    return new FittedColumn(title, title, least, false, false);
  }

  /// A number is never cut before texts are.
  static FittedColumn number(String title) {
    return new FittedColumn(title, title, Integer.MAX_VALUE, true, false);
  }

  FittedColumn named(String other) {
    return new FittedColumn(source, other, least, right, optional);
  }

  FittedColumn ifRoom() {
    return new FittedColumn(source, title, least, right, true);
  }

  /// Returns the headers and the rows, of these columns only, in their order.
  ///
  /// @param headers headers of the cells
  /// @param width most characters of a line
  static List<String> lines(
      List<FittedColumn> columns, List<String> headers, List<List<String>> rows, int width) {
    List<Fitted> all = new ArrayList<>();
    for (FittedColumn column : columns) {
      int at = headers.indexOf(column.source());
      all.add(new Fitted(column, rows.stream().map(row -> row.get(at)).toList()));
    }
    leaveOut(all, width);
    cut(all, width, false);
    cut(all, width, true);
    List<String> lines = new ArrayList<>();
    for (int i = -1; i < rows.size(); i++) {
      StringBuilder line = new StringBuilder();
      for (Fitted each : all) {
        line.append(line.isEmpty() ? "" : " ".repeat(GAP)).append(each.cell(i));
      }
      lines.add(clipped(line.toString(), width).stripTrailing());
    }
    return lines;
  }

  private static void leaveOut(List<Fitted> all, int width) {
    for (int i = all.size() - 1; i >= 0 && needs(all, true) > width; i--) {
      if (all.get(i).column.optional()) {
        all.remove(i);
      }
    }
  }

  private static void cut(List<Fitted> all, int width, boolean deep) {
    while (needs(all, false) > width) {
      Fitted widest = all.getFirst();
      for (Fitted each : all) {
        widest = each.spare(deep) >= widest.spare(deep) ? each : widest;
      }
      if (widest.spare(deep) <= 0) {
        return;
      }
      widest.width--;
    }
  }

  private static int needs(List<Fitted> all, boolean atLeast) {
    int sum = GAP * (all.size() - 1);
    for (Fitted each : all) {
      sum += atLeast ? Math.min(each.width, each.column.least()) : each.width;
    }
    return sum;
  }

  private static int length(String text) {
    return new AttributedString(text).columnLength();
  }

  /// Returns the text in at most this many columns of the terminal.
  static String clipped(String text, int width) {
    return length(text) <= width
        ? text
        : new AttributedString(text).columnSubSequence(0, Math.max(0, width - 1)) + "~";
  }

  /// A column with its cells and its present width.
  private static final class Fitted {
    private final FittedColumn column;
    private final List<String> cells;
    private int width;

    Fitted(FittedColumn column, List<String> cells) {
      this.column = column;
      this.cells = cells;
      this.width = Math.max(length(column.title()), longest(cells));
    }

    private static int longest(List<String> cells) {
      return cells.stream().mapToInt(FittedColumn::length).max().orElse(0);
    }

    /// Returns by how much the column can be cut, or in a deep cut its width.
    int spare(boolean deep) {
      if (deep) {
        return width > NARROWEST ? width : 0;
      }
      return width > column.least() ? width : 0;
    }

    String cell(int row) {
      String text = clipped(row < 0 ? column.title() : cells.get(row), width);
      String space = " ".repeat(Math.max(0, width - length(text)));
      return column.right() ? space + text : text + space;
    }
  }
}
