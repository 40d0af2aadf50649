package dev.muster.deploy.top;

/// What the user of the live screen looks at.
///
/// @param view the list
/// @param sort its order, one of [TopView#sorts]
/// @param offset rows before the first one shown, from 0
/// @param help true while the keys are explained
record TopState(TopView view, String sort, int offset, boolean help) {
  static final TopState FIRST = of(TopView.WAITING);

  private static TopState of(TopView view) {
    return new TopState(view, view.sorts().getFirst(), 0, false);
  }

  /// Returns the state after a key. While the keys are explained, any key ends that.
  ///
  /// @param rows rows that fit the screen
  /// @param total rows of the list
  TopState after(TopKey key, int rows, int total) {
    if (help) {
      return new TopState(view, sort, offset, false);
    }
    return switch (key) {
      case HELP -> new TopState(view, sort, offset, true);
      case NEXT_VIEW -> of(view.beside(1));
      case PREVIOUS_VIEW -> of(view.beside(-1));
      case SORT -> new TopState(view, next(), 0, false);
      case UP -> at(offset - 1, rows, total);
      case DOWN -> at(offset + 1, rows, total);
      case PAGE_UP -> at(offset - rows, rows, total);
      case PAGE_DOWN -> at(offset + rows, rows, total);
      case FIRST -> at(0, rows, total);
      case LAST -> at(total, rows, total);
      case QUIT, NONE -> this;
    };
  }

  /// Returns the state in a list that may have shrunk: its last rows stay in sight.
  TopState within(int rows, int total) {
    return at(offset, rows, total);
  }

  private TopState at(int row, int rows, int total) {
    return new TopState(view, sort, Math.clamp(row, 0, Math.max(0, total - rows)), help);
  }

  private String next() {
    return view.sorts().get((view.sorts().indexOf(sort) + 1) % view.sorts().size());
  }
}
