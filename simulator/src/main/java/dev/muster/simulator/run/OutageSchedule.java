package dev.muster.simulator.run;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.fleet.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The rules for absent nodes: they fail and are repaired, or are taken out for maintenance.
///
/// A job that loses a node loses all its members: it waits again as a whole.
///
/// @param mtbf mean time between failures of one node or GPU, from a repair to the next failure,
///   exponentially distributed; absent: nodes do not fail
/// @param repair mean time of a repair, exponentially distributed, at least a second
/// @param maintenance maintenance windows of nodes
/// @param perGpu true if `mtbf` is that of a GPU, so a node of 8 fails 8 times as often
public record OutageSchedule(
    Optional<Duration> mtbf, Duration repair, List<Window> maintenance, boolean perGpu) {
  /// A schedule in which all nodes are always present.
  public static final OutageSchedule NONE =
      new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of());

  /// Creates a schedule with the mean time between failures of a node.
  public OutageSchedule(Optional<Duration> mtbf, Duration repair, List<Window> maintenance) {
    this(mtbf, repair, maintenance, false);
  }

  /// Returns this schedule with other failures.
  ///
  /// @param between mean time between failures
  /// @param ofGpu true if it is that of a GPU
  public OutageSchedule failing(Optional<Duration> between, boolean ofGpu) {
    return new OutageSchedule(between, repair, maintenance, ofGpu);
  }

  /// Returns the mean time between failures of a node with some GPUs, in milliseconds.
  OptionalLong meanMillis(int gpus) {
    return mtbf.isEmpty() || (perGpu && gpus == 0)
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(1_000, mtbf.get().toMillis() / (perGpu ? gpus : 1)));
  }

  /// A maintenance window of one node.
  ///
  /// @param node name of the node
  /// @param from start, since the start of the trace
  /// @param length duration, more than zero
  public record Window(String node, Duration from, Duration length) {
    public Window {
      if (!length.isPositive()) {
        throw new IllegalArgumentException(
            "The maintenance of %s at %s takes %s; the duration after the + must be positive, for example 30m."
                .formatted(node, Durations.print(from), Durations.print(length)));
      }
    }
  }

  public OutageSchedule {
    maintenance = List.copyOf(maintenance);
    if (mtbf.filter(time -> time.toSeconds() < 1).isPresent() || repair.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "Nodes fail every %s (--mtbf) and are repaired in %s (--repair); neither can be less than a second."
              .formatted(mtbf.map(Durations::print).orElse("never"), Durations.print(repair)));
    }
  }

  /// Returns this schedule after a check against the fleets.
  ///
  /// @throws IllegalArgumentException if maintenance names a node that no fleet has outside the
  ///   cloud
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
                ? "The maintenance names %s, a cloud node. Cloud nodes join and leave on demand; only other nodes can have maintenance."
                    .formatted(window.node())
                : "The maintenance names %s, but the fleet has no node of this name; the first is %s."
                    .formatted(window.node(), own.stream().findFirst().orElse("none")));
      }
    }
    return this;
  }

  /// Returns a description for the fleet, one sentence for each rule.
  public List<String> sentences(Fleet fleet) {
    List<String> said = new ArrayList<>();
    mtbf.ifPresent(time ->
        said.add(
            "A %s fails %s after it was repaired, and is repaired in %s, on average%s."
                .formatted(
                    perGpu ? "GPU" : "node",
                    Durations.print(time),
                    Durations.print(repair),
                    perGpu ? "; its node is absent for that time" : "")));
    for (Window window : maintenance) {
      if (fleet.nodes().stream().noneMatch(node -> node.id().name().equals(window.node()))) {
        continue; // a node of another compared fleet
      }
      said.add(
          "%s is taken out at %s for %s."
              .formatted(
                  window.node(), Durations.print(window.from()), Durations.print(window.length())));
    }
    return said;
  }
}
