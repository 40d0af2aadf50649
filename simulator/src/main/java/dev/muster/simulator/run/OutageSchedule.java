package dev.muster.simulator.run;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.fleet.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// When nodes are not there: they fail and are repaired, or are taken out for maintenance.
///
/// A job that loses a node loses all its members: it waits again as a whole.
///
/// @param mtbf the mean time between failures of one node, from a repair to the next failure,
///   exponentially distributed; absent: nodes do not fail
/// @param repair the mean time that a repair takes, exponentially distributed, at least a second
/// @param maintenance when which nodes are taken out
public record OutageSchedule(Optional<Duration> mtbf, Duration repair, List<Window> maintenance) {
  /// All nodes are there all the time.
  public static final OutageSchedule NONE = new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of());

  /// A node is taken out for some time.
  ///
  /// @param node its name
  /// @param from when, since the start of the trace
  /// @param length for how long, more than no time
  public record Window(String node, Duration from, Duration length) {
    public Window {
      if (!length.isPositive()) {
        throw new IllegalArgumentException(
            "The maintenance of %s at %s takes %s; it must take some time. Maybe leave it out, or write 30m behind the +."
                .formatted(node, Durations.print(from), Durations.print(length)));
      }
    }
  }

  public OutageSchedule {
    maintenance = List.copyOf(maintenance);
    if (mtbf.filter(time -> time.toSeconds() < 1).isPresent() || repair.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "Nodes fail every %s (--mtbf) and are repaired in %s (--repair); neither can be less than a second. Maybe you meant 30d and 4h."
              .formatted(mtbf.map(Durations::print).orElse("never"), Durations.print(repair)));
    }
  }

  /// The same, for runs on these fleets.
  ///
  /// @throws IllegalArgumentException if a node is taken out that none of them has for itself
  public OutageSchedule on(List<Fleet> fleets) {
    Set<String> own = new LinkedHashSet<>();
    Set<String> cloud = new LinkedHashSet<>();
    for (Fleet fleet : fleets) {
      for (int i = 0; i < fleet.nodes().size(); i++) {
        (fleet.isOnDemand(i) ? cloud : own).add(fleet.nodes().get(i).id().name());
      }
    }
    for (Window window : maintenance) {
      if (!own.contains(window.node())) {
        throw new IllegalArgumentException(
            cloud.contains(window.node())
                ? "The maintenance is of %s, a cloud node. These come and go as they are needed; maybe take one of your own."
                    .formatted(window.node())
                : "The maintenance is of %s, but the fleet has no node of this name; the first is %s. Maybe it was misspelled."
                    .formatted(window.node(), own.stream().findFirst().orElse("none")));
      }
    }
    return this;
  }

  /// What it means for the fleet, a sentence each.
  public List<String> sentences(Fleet fleet) {
    List<String> said = new ArrayList<>();
    mtbf.ifPresent(time ->
        said.add(
            "A node fails %s after it was repaired, and is repaired in %s, on average."
                .formatted(Durations.print(time), Durations.print(repair))));
    for (Window window : maintenance) {
      if (fleet.nodes().stream().noneMatch(node -> node.id().name().equals(window.node()))) {
        continue; // it is of another fleet that is looked at besides
      }
      said.add(
          "%s is taken out at %s for %s."
              .formatted(
                  window.node(), Durations.print(window.from()), Durations.print(window.length())));
    }
    return said;
  }
}
