package dev.muster.simulator.cli.option;

import dev.muster.simulator.file.PlainNumber;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Parses `NAME=FACTOR` options.
///
/// Map options of the command line library would silently keep the last of several factors of a
/// name.
final class Factors {
  private Factors() {}

  /// Returns the factors by name.
  ///
  /// @param option name of the option, for error messages
  /// @param entries values of the option
  static SortedMap<String, Double> of(String option, List<String> entries) {
    SortedMap<String, Double> factors = new TreeMap<>();
    for (String entry : entries) {
      int equals = entry.lastIndexOf('=');
      String name = entry.substring(0, Math.max(0, equals));
      if (name.isEmpty()) {
        throw new IllegalArgumentException(
            "%s \"%s\" is not of the form NAME=FACTOR.".formatted(option, entry));
      }
      if (factors.put(name, factor(option, entry, entry.substring(equals + 1))) != null) {
        throw new IllegalArgumentException("%s names \"%s\" twice.".formatted(option, name));
      }
    }
    return factors;
  }

  private static double factor(String option, String entry, String text) {
    try {
      return PlainNumber.decimal(text);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(
          "%s \"%s\": the factor \"%s\" is not a number.".formatted(option, entry, text));
    }
  }
}
