package dev.muster.simulator.run.record;

import dev.muster.simulator.fleet.Fleet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// How fast jobs run where, relative to what the trace says.
///
/// A gang runs as fast as its slowest GPU, and slower if it spans more than one node, or more than
/// one domain of a level: members wait for each other. Where several spans slow it down the slowest
/// counts.
///
/// @param speeds the speed of GPU models, by their names, 0.001 to 1000; 1 for models that are not
///   listed
/// @param slowdowns by the name of a level, or `node`: by what the run time is multiplied when the
///   gang spans more than one of its domains, 1 to 1000; 1 for levels that are not listed
public record SpeedModel(SortedMap<String, Double> speeds, SortedMap<String, Double> slowdowns) {
  /// Everything runs as the trace says.
  public static final SpeedModel FULL = new SpeedModel(new TreeMap<>(), new TreeMap<>());

  private static final double MOST = 1000; // so much faster or slower, and ends are still times

  public SpeedModel {
    speeds = Collections.unmodifiableSortedMap(new TreeMap<>(speeds));
    slowdowns = Collections.unmodifiableSortedMap(new TreeMap<>(slowdowns));
    speeds.forEach((model, factor) -> {
      if (!(factor >= 1 / MOST && factor <= MOST)) {
        throw new IllegalArgumentException(
            "The speed of %s is %s; it must be 0.001 to 1000. Maybe you meant 1."
                .formatted(model, factor));
      }
    });
    slowdowns.forEach((level, factor) -> {
      if (!(factor >= 1 && factor <= MOST)) {
        throw new IllegalArgumentException(
            "The slowdown of %s is %s; it must be 1 to 1000, since run times are multiplied by it. Maybe you meant 1.2."
                .formatted(level, factor));
      }
    });
  }

  /// The same pace, for runs on these fleets.
  ///
  /// @throws IllegalArgumentException if a speed is of a model, or a slowdown of a level, that none
  ///   of them has
  public SpeedModel on(List<Fleet> fleets) {
    TreeSet<String> models = new TreeSet<>();
    TreeSet<String> levels = new TreeSet<>(Set.of("node"));
    for (Fleet fleet : fleets) {
      models.addAll(fleet.models().keySet());
      fleet.topology().levels().forEach(level -> levels.add(level.name()));
    }
    models.remove(""); // nodes that do not say
    check("speed", speeds.keySet(), "GPU model", models);
    check("slowdown", slowdowns.keySet(), "level", levels);
    return this;
  }

  private static void check(String what, Set<String> named, String kind, TreeSet<String> known) {
    for (String name : named) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "There is a %s for \"%s\", but the fleet has no %s of this name; it has %s. Maybe it was misspelled."
                .formatted(what, name, kind, known.isEmpty() ? "none" : String.join(", ", known)));
      }
    }
  }

  /// Whether everything runs as the trace says.
  public boolean isFull() {
    return speeds.isEmpty() && slowdowns.isEmpty();
  }

  /// The greatest speed of any node of the fleet, at least 1.
  double fastest(Fleet fleet) {
    return fleet.models().keySet().stream()
        .mapToDouble(model -> speeds.getOrDefault(model, 1.0))
        .reduce(1, Math::max);
  }
}
