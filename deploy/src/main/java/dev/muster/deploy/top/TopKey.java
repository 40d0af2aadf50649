package dev.muster.deploy.top;

/// What a key of the live screen does.
enum TopKey {
  QUIT,
  HELP,
  NEXT_VIEW,
  PREVIOUS_VIEW,
  SORT,
  UP,
  DOWN,
  PAGE_UP,
  PAGE_DOWN,
  FIRST,
  LAST,
  /// A key without a meaning.
  NONE;

  /// Returns the meaning of what a terminal sends for one key.
  ///
  /// @param sent a character, or an escape sequence of ECMA-48 with its first character
  static TopKey of(String sent) {
    return switch (sent) {
      case "q", "Q" -> QUIT;
      case "?", "h" -> HELP;
      case "\t", "\u001b[C", "\u001bOC" -> NEXT_VIEW;
      case "\u001b[Z", "\u001b[D", "\u001bOD" -> PREVIOUS_VIEW;
      case "s" -> SORT;
      case "k", "\u001b[A", "\u001bOA" -> UP;
      case "j", "\u001b[B", "\u001bOB" -> DOWN;
      case "b", "\u001b[5~" -> PAGE_UP;
      case " ", "f", "\u001b[6~" -> PAGE_DOWN;
      case "g", "\u001b[H", "\u001bOH", "\u001b[1~", "\u001b[7~" -> FIRST;
      case "G", "\u001b[F", "\u001bOF", "\u001b[4~", "\u001b[8~" -> LAST;
      default -> NONE;
    };
  }
}
