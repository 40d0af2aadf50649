package dev.muster.simulator.run;

import dev.muster.simulator.fleet.Fleet;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// How fast jobs run where, relative to what the trace says.
///
/// A gang runs as fast as its slowest GPU, and slower if it spans more than one node, or more than
/// one domain of a level: members wait for each other. Where several spans slow it down the slowest
/// counts.
///
/// @param speeds the speed of GPU models, by their names; 1 for models that are not listed
/// @param slowdowns by the name of a level, or `node`: by what the run time is multiplied when the
///   gang spans more than one of its domains; 1 for levels that are not listed
public record Pace(SortedMap<String, Double> speeds, SortedMap<String, Double> slowdowns) {
  /// Everything runs as the trace says.
  public static final Pace FULL = new Pace(new TreeMap<>(), new TreeMap<>());

  public Pace {
    speeds = Collections.unmodifiableSortedMap(new TreeMap<>(speeds));
    slowdowns = Collections.unmodifiableSortedMap(new TreeMap<>(slowdowns));
    check("speed", speeds);
    check("slowdown", slowdowns);
  }

  private static void check(String what, SortedMap<String, Double> factors) {
    factors.forEach((name, factor) -> {
      if (!(factor > 0) || factor.isInfinite()) {
        throw new IllegalArgumentException(
            "The %s of %s is %s; it must be greater than 0. Maybe you meant 1."
                .formatted(what, name, factor));
      }
    });
  }

  /// Whether everything runs as the trace says.
  public boolean isFull() {
    return speeds.isEmpty() && slowdowns.isEmpty();
  }

  /// The greatest speed of any node of the fleet.
  double fastest(Fleet fleet) {
    return fleet.models().keySet().stream()
        .mapToDouble(model -> speeds.getOrDefault(model, 1.0))
        .max()
        .orElse(1);
  }
}
