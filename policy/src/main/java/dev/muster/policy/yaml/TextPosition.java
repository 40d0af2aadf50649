package dev.muster.policy.yaml;

import dev.muster.policy.yaml.YamlDocument.Spot;

/// Finds the line and column of a character of a YAML text value.
///
/// - **Goals:** the line and column that an editor shows, whether the text is plain, quoted,
///   literal (`|`) or folded (`>`).
/// - **Constraints:** the YAML parser reports only the start of a value.
/// - **Algorithm:** walks along the file from there and consumes the text character by character.
///   Characters that the text does not have (quotes, backslashes, indentation, the header of a
///   block) are skipped.
/// - **Example:** character 4 of `when: 'a == b'` in column 7 is in column 12.
final class TextPosition {
  private TextPosition() {}

  /// @param file the text of the whole file
  /// @param start the start of the value
  /// @param text the value
  /// @param offset the wanted character, in code points from 0
  /// @return its place; `start` if it is not found
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

  /// Returns the first position of `sign`; any white space of the file matches a space.
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

  /// Returns the start of the next line; only a line feed ends a line.
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
