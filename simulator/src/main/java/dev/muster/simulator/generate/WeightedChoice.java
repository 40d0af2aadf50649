package dev.muster.simulator.generate;

import dev.muster.simulator.file.PlainNumber;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Values with their relative frequencies, which users write as `1:60,8:30,64:10`.
///
/// @param values the values
/// @param weights relative frequency of each, in any unit, greater than 0
public record WeightedChoice(List<String> values, List<Double> weights) {
  public WeightedChoice {
    values = List.copyOf(values);
    weights = List.copyOf(weights);
    if (values.isEmpty() || weights.stream().anyMatch(weight -> !(weight > 0))) {
      throw new IllegalArgumentException(
          "The weights %s of %s must all be greater than 0.".formatted(weights, values));
    }
  }

  /// Parses `value:weight,value:weight`; a missing weight is 1.
  public static WeightedChoice parse(String text) {
    List<String> values = new ArrayList<>();
    List<Double> weights = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String[] pair = part.strip().split(":", -1);
      if (pair.length > 2 || pair[0].isBlank()) {
        throw wrong(text, part);
      }
      try {
        values.add(pair[0]);
        weights.add(pair.length == 1 ? 1 : PlainNumber.decimal(pair[1]));
      } catch (NumberFormatException _) {
        throw wrong(text, part);
      }
    }
    return new WeightedChoice(values, weights);
  }

  private static IllegalArgumentException wrong(String text, String part) {
    return new IllegalArgumentException(
        "\"%s\" in \"%s\" is not of the form VALUE:WEIGHT.".formatted(part, text));
  }

  /// Returns the values that pass the test; absent if none does.
  Optional<WeightedChoice> filter(Predicate<String> passes) {
    List<String> kept = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      if (passes.test(values.get(i))) {
        kept.add(values.get(i));
        theirs.add(weights.get(i));
      }
    }
    return kept.isEmpty() ? Optional.empty() : Optional.of(new WeightedChoice(kept, theirs));
  }

  /// Returns the value at a point of the cumulative distribution.
  ///
  /// @param place the point, from 0 to 1
  String at(double place) {
    double left = place * weights.stream().mapToDouble(each -> each).sum();
    for (int i = 0; i < values.size(); i++) {
      left -= weights.get(i);
      if (left < 0) {
        return values.get(i);
      }
    }
    return values.getLast();
  }

  /// Returns the weighted mean of the values as numbers.
  double mean() {
    double sum = 0;
    double all = 0;
    for (int i = 0; i < values.size(); i++) {
      sum += weights.get(i) * Double.parseDouble(values.get(i));
      all += weights.get(i);
    }
    return sum / all;
  }
}
