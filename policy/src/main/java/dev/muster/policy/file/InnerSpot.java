package dev.muster.policy.file;

import dev.muster.policy.file.YamlDocument.Spot;

/// Finds where a sign of a YAML text stands in the file.
///
/// - **Goals:** the line and column that an editor shows, whether the text is plain, quoted,
///   literal (`|`) or folded (`>`).
/// - **Constraints:** the YAML parser tells only where a value begins.
/// - **Algorithm:** walks along the file from there and consumes the text sign by sign. What the
///   text does not have (quotes, backslashes, indentation, the header of a block) is passed over.
/// - **Example:** sign 4 of `when: 'a == b'` in column 7 stands in column 12.
final class InnerSpot {
  private InnerSpot() {}

  /// @param file the text of the whole file
  /// @param start where the value begins
  /// @param text the value
  /// @param offset the sign asked for, in code points from 0
  /// @return its place; the value's if it is not found
  static Spot of(String file, Spot start, String text, int offset) {
    int[] signs = file.codePoints().toArray();
    int[] wanted = text.codePoints().limit(offset + 1L).toArray();
    int at = position(signs, start);
    if (at < signs.length && (signs[at] == '|' || signs[at] == '>') && wanted.length > 0) {
      at = nextLine(signs, at);
    }
    int found = at - 1;
    for (int sign : wanted) {
      found = next(signs, found + 1, sign);
    }
    boolean past = offset >= wanted.length;
    return found >= signs.length ? start : spot(signs, past ? found + 1 : found);
  }

  /// The first position of the sign; any white space of the file stands for a space.
  private static int next(int[] signs, int from, int sign) {
    int at = from;
    while (at < signs.length && !matches(signs[at], sign)) {
      at++;
    }
    return at;
  }

  private static boolean matches(int there, int sign) {
    return there == sign || (Character.isWhitespace(sign) && Character.isWhitespace(there));
  }

  /// Where the next line begins; only a line break ends this one, no other white space.
  private static int nextLine(int[] signs, int from) {
    int at = from;
    while (at < signs.length && signs[at] != '\n') {
      at++;
    }
    return at + 1;
  }

  private static int position(int[] signs, Spot spot) {
    int at = 0;
    for (int line = 1; line < spot.line() && at < signs.length; line++) {
      at = nextLine(signs, at);
    }
    return at + spot.column() - 1;
  }

  private static Spot spot(int[] signs, int position) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < position; i++) {
      boolean ends = signs[i] == '\n';
      line += ends ? 1 : 0;
      column = ends ? 1 : column + 1;
    }
    return new Spot(line, column);
  }
}
