package dev.muster.core.decision;

import java.util.stream.Stream;

/// Text on one line, without characters that act on a terminal or change the order of reading.
///
/// Tenants choose annotations, and kube-scheduler and webhooks choose messages. What an admin reads
/// must not contain escape sequences of theirs, forged lines, or words in reverse.
public final class PlainText {
  private PlainText() {}

  /// Returns the text with a space in place of each control character, line end and mark of text
  /// direction.
  public static String line(String text) {
    int first = 0;
    while (first < text.length() && isPlain(text.charAt(first))) {
      first++;
    }
    if (first == text.length()) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text);
    for (int i = first; i < plain.length(); i++) {
      if (!isPlain(plain.charAt(i))) {
        plain.setCharAt(i, ' ');
      }
    }
    return plain.toString();
  }

  /// Returns the values of a format with each text on one line.
  public static Object[] values(Object... values) {
    return Stream.of(values)
        .map(value -> value instanceof String text ? line(text) : value)
        .toArray();
  }

  /// True for a character that only shows itself.
  public static boolean isPlain(char character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
      case Character.FORMAT -> !turnsText(character);
      default -> true;
    };
  }

  private static boolean turnsText(char mark) {
    return mark == '\u061c'
        || mark == '\u200e'
        || mark == '\u200f'
        || (mark >= '\u202a' && mark <= '\u202e')
        || (mark >= '\u2066' && mark <= '\u2069');
  }
}
