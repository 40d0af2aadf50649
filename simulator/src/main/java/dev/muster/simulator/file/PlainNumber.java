package dev.muster.simulator.file;

import java.util.regex.Pattern;

/// Parses numbers in options.
public final class PlainNumber {
  /// Number forms of Java only: `2d`, which users write for two days, and `0x1p3`.
  private static final Pattern OF_JAVA = Pattern.compile(".*[dDfF]|.*[xX].*");

  private PlainNumber() {}

  /// Parses a decimal number.
  ///
  /// @throws NumberFormatException if the text is not a number
  public static double decimal(String text) {
    if (OF_JAVA.matcher(text.strip()).matches()) {
      throw new NumberFormatException(text);
    }
    return Double.parseDouble(text);
  }
}
