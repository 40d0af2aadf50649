package dev.muster.server.http.screen;

import java.util.List;

/// A drawing of the GPUs of nodes: one path for each state, so that thousands of nodes need few
/// elements. The tables beside it have the numbers.
///
/// ```
/// ######..   a node: six GPUs used, two free
/// ########
/// ```
///
/// @param width width in units of the drawing
/// @param height height in units of the drawing
/// @param all the area of all GPUs
/// @param used the area of used GPUs
/// @param promised the area of promised GPUs
/// @param out the area of GPUs on nodes that take no pods
/// @param grid lines between GPUs
record GpuPicture(
    int width, int height, String all, String used, String promised, String out, String grid) {
  private static final int CELLS = 8;
  private static final int CELL = 8;
  private static final int STRIP = CELLS * CELL;
  private static final int ROW = 12;
  private static final int GAP = 3;
  private static final int LONG_COLUMN = 8;
  private static final int BAR = 1_000;

  /// Returns one bar whose parts are in proportion.
  static GpuPicture bar(GpuCount gpus) {
    Pen pen = new Pen();
    pen.node(gpus, 0, 0, BAR);
    return pen.picture(BAR, ROW);
  }

  /// Returns one strip with a cell for each GPU; more than eight GPUs share the strip.
  static GpuPicture node(GpuCount gpus) {
    return nodes(List.of(gpus));
  }

  /// Returns the strips of all nodes of a domain, in columns.
  static GpuPicture nodes(List<GpuCount> nodes) {
    int columns = columns(nodes.size());
    int rows = Math.max(1, (nodes.size() + columns - 1) / columns);
    Pen pen = new Pen();
    for (int i = 0; i < nodes.size(); i++) {
      GpuCount gpus = nodes.get(i);
      int wide = gpus.total() < CELLS ? gpus.total() * CELL : STRIP;
      pen.node(gpus, i / rows * (STRIP + GAP), i % rows * (ROW + GAP), wide);
    }
    return pen.picture(columns * (STRIP + GAP) - GAP, rows * (ROW + GAP) - GAP);
  }

  private static int columns(int nodes) {
    int columns = 1;
    while (columns * LONG_COLUMN * columns < nodes) {
      columns++;
    }
    return columns;
  }

  /// Draws rectangles into one path for each state.
  private static final class Pen {
    private final StringBuilder all = new StringBuilder();
    private final StringBuilder used = new StringBuilder();
    private final StringBuilder promised = new StringBuilder();
    private final StringBuilder out = new StringBuilder();
    private final StringBuilder grid = new StringBuilder();

    void node(GpuCount gpus, int x, int y, int wide) {
      if (gpus.total() <= 0 || wide <= 0) {
        return;
      }
      area(all, x, y, wide);
      long total = Math.max(gpus.total(), (long) gpus.used() + gpus.promised() + gpus.out());
      int at = part(used, x, y, wide, 0, gpus.used(), total);
      at = part(promised, x, y, wide, at, at(gpus.used(), gpus.promised()), total);
      part(out, x, y, wide, at, at(gpus.used(), gpus.promised()) + gpus.out(), total);
      if (gpus.total() <= CELLS && wide <= STRIP) {
        for (int i = 1; i < gpus.total(); i++) {
          grid.append('M').append(x + i * CELL).append(' ').append(y).append('v').append(ROW);
        }
      }
    }

    private static int at(int used, int promised) {
      return used + promised;
    }

    /// Draws the GPUs from the end of the last part up to a sum. Returns where this part ends.
    private static int part(
        StringBuilder path, int x, int y, int wide, int from, long sum, long total) {
      int to = (int) Math.round((double) wide * sum / total);
      if (to > from) {
        area(path, x + from, y, to - from);
      }
      return Math.max(from, to);
    }

    private static void area(StringBuilder path, int x, int y, int wide) {
      path.append('M').append(x).append(' ').append(y).append('h').append(wide);
      path.append('v').append(ROW).append('h').append(-wide).append('z');
    }

    GpuPicture picture(int width, int height) {
      return new GpuPicture(
          width,
          height,
          all.toString(),
          used.toString(),
          promised.toString(),
          out.toString(),
          grid.toString());
    }
  }
}
