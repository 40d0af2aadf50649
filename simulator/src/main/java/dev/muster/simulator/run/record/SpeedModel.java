package dev.muster.simulator.run.record;

import dev.muster.simulator.fleet.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The speed of jobs on given GPUs and nodes, relative to the trace.
///
/// A gang runs as fast as its slowest GPU, because members wait for each other. It is slower if it
/// spans more than one node, or more than one domain of a level. If several spans slow it down, the
/// largest slowdown counts.
///
/// @param speeds speed by name of the GPU model, 0.001 to 1000; 1 for models that are not listed
/// @param slowdowns factor of the run time by name of a level, or `node`, for a gang that spans
///   more than one of its domains, 1 to 1000; 1 for levels that are not listed
public record SpeedModel(SortedMap<String, Double> speeds, SortedMap<String, Double> slowdowns) {
  /// The model in which all jobs run at the speed of the trace.
  public static final SpeedModel FULL = new SpeedModel(new TreeMap<>(), new TreeMap<>());

  private static final double MOST = 1000; // keeps ends within the range of times

  public SpeedModel {
    speeds = Collections.unmodifiableSortedMap(new TreeMap<>(speeds));
    slowdowns = Collections.unmodifiableSortedMap(new TreeMap<>(slowdowns));
    speeds.forEach((model, factor) -> {
      if (!(factor >= 1 / MOST && factor <= MOST)) {
        throw new IllegalArgumentException(
            "The speed of %s is %s; it must be 0.001 to 1000.".formatted(model, factor));
      }
    });
    slowdowns.forEach((level, factor) -> {
      if (!(factor >= 1 && factor <= MOST)) {
        throw new IllegalArgumentException(
            "The slowdown of %s is %s; it must be 1 to 1000, since run times are multiplied by it."
                .formatted(level, factor));
      }
    });
  }

  /// Returns this model after a check against the fleets.
  ///
  /// @throws IllegalArgumentException if a speed names a model, or a slowdown names a level, that
  ///   none of them has
  public SpeedModel on(List<Fleet> fleets) {
    TreeSet<String> models = new TreeSet<>();
    TreeSet<String> levels = new TreeSet<>(Set.of("node"));
    for (Fleet fleet : fleets) {
      models.addAll(fleet.models().keySet());
      fleet.topology().levels().forEach(level -> levels.add(level.name()));
    }
    models.remove(""); // nodes without a model
    check("speed", speeds.keySet(), "GPU model", models);
    check("slowdown", slowdowns.keySet(), "level", levels);
    return this;
  }

  private static void check(String what, Set<String> named, String kind, TreeSet<String> known) {
    for (String name : named) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "There is a %s for \"%s\", but the fleet has no %s of this name. Known: %s."
                .formatted(what, name, kind, known.isEmpty() ? "none" : String.join(", ", known)));
      }
    }
  }

  /// True if all jobs run at the speed of the trace.
  public boolean isFull() {
    return speeds.isEmpty() && slowdowns.isEmpty();
  }

  /// Returns the speeds and the slowdowns as a sentence each.
  public List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    if (!speeds.isEmpty()) {
      sentences.add("Speeds by GPU model: %s; others 1.".formatted(listed(speeds)));
    }
    if (!slowdowns.isEmpty()) {
      sentences.add(
          "Run time factors of gangs that span several domains of a level: %s."
              .formatted(listed(slowdowns)));
    }
    return sentences;
  }

  private static String listed(SortedMap<String, Double> factors) {
    return factors.entrySet().stream()
        .map(each -> each.getKey() + " " + each.getValue())
        .collect(Collectors.joining(", "));
  }

  /// Returns the greatest speed of any node of the fleet, at least 1.
  double fastest(Fleet fleet) {
    return fleet.models().keySet().stream()
        .mapToDouble(model -> speeds.getOrDefault(model, 1.0))
        .reduce(1, Math::max);
  }
}
