package dev.muster.simulator.run;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.fleet.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// When nodes are not there: they fail and are repaired, or are taken out for maintenance.
///
/// A job that loses a node loses all its members: it waits again as a whole.
///
/// @param mtbf the mean time between failures of one node, from a repair to the next failure,
///   exponentially distributed; absent: nodes do not fail
/// @param repair the mean time that a repair takes, exponentially distributed, at least a second
/// @param maintenance when which nodes are taken out
public record Outages(Optional<Duration> mtbf, Duration repair, List<Window> maintenance) {
  /// All nodes are there all the time.
  public static final Outages NONE = new Outages(Optional.empty(), Duration.ofHours(1), List.of());

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

  public Outages {
    maintenance = List.copyOf(maintenance);
    if (mtbf.filter(time -> time.toSeconds() < 1).isPresent() || repair.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "Nodes fail every %s and are repaired in %s; neither can be less than a second."
              .formatted(mtbf.map(Durations::print).orElse("never"), Durations.print(repair)));
    }
  }

  /// Sees to it that the fleet has the nodes that are taken out.
  ///
  /// @throws IllegalArgumentException if it has not
  public void check(Fleet fleet) {
    Set<String> names =
        fleet.nodes().stream()
            .map(node -> node.id().name())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    for (Window window : maintenance) {
      if (!names.contains(window.node())) {
        throw new IllegalArgumentException(
            "There is no node %s to be maintained; the first is %s."
                .formatted(window.node(), names.stream().findFirst().orElse("none")));
      }
    }
  }

  /// What it means, a sentence each.
  public List<String> sentences() {
    List<String> said = new ArrayList<>();
    mtbf.ifPresent(time ->
        said.add(
            "A node fails %s after it was repaired, and is repaired in %s, on average."
                .formatted(Durations.print(time), Durations.print(repair))));
    for (Window window : maintenance) {
      said.add(
          "%s is taken out at %s for %s."
              .formatted(
                  window.node(), Durations.print(window.from()), Durations.print(window.length())));
    }
    return said;
  }
}
