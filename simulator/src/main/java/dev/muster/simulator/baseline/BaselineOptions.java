package dev.muster.simulator.baseline;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.record.SpeedModel;
import java.time.Duration;
import java.util.List;

/// The options of a classic policy that affect results, apart from its order. Each can be switched.
///
/// @param placement choice of the GPUs of a job
/// @param oneGpuWorkers true to treat a job of k GPUs as a gang of k workers of one GPU
/// @param reservations content of a backfill reservation, for policies that backfill
/// @param preemptionCost loss of a job that is stopped or moved
/// @param charge time at which its restart is charged
/// @param thresholds GPU time after which a job moves to the next lower queue, ascending, for
///   policies with queues by GPU time
/// @param speed speed of jobs on given nodes
public record BaselineOptions(
    NodeChoice placement,
    boolean oneGpuWorkers,
    Reservations reservations,
    PreemptionCost preemptionCost,
    ServiceCharge charge,
    List<Duration> thresholds,
    SpeedModel speed) {
  /// The content of a backfill reservation.
  public enum Reservations {
    /// A number of GPUs, on any nodes (EASY as published).
    COUNTED,
    /// Specific GPUs (Batsim).
    NAMED
  }

  /// The time at which the overhead of a preemptive policy is charged.
  public enum ServiceCharge {
    /// When a job runs again after it was stopped, or was moved.
    RESTART,
    /// In every interval between two events through which a job runs without ending, stopped or not
    /// (the Muri simulator).
    EVERY_EVENT
  }

  public BaselineOptions {
    thresholds = List.copyOf(thresholds);
    Duration before = Duration.ZERO;
    for (Duration threshold : thresholds) {
      if (threshold.compareTo(before) <= 0) {
        throw new IllegalArgumentException(
            "The thresholds (%s) must be in ascending order."
                .formatted(String.join(", ", thresholds.stream().map(Durations::print).toList())));
      }
      before = threshold;
    }
  }

  /// Returns the published options with this placement. GPUs are counted, preemption is free, and
  /// thresholds are those of the Tiresias simulator.
  public static BaselineOptions of(NodeChoice placement) {
    return new BaselineOptions(
        placement,
        false,
        Reservations.COUNTED,
        PreemptionCost.NONE,
        ServiceCharge.RESTART,
        List.of(Duration.ofSeconds(3250), Duration.ofSeconds(7200)),
        SpeedModel.FULL);
  }

  /// Returns a copy with other reservations.
  public BaselineOptions with(Reservations other) {
    return new BaselineOptions(
        placement, oneGpuWorkers, other, preemptionCost, charge, thresholds, speed);
  }

  /// Returns a copy that cuts each job into workers of one GPU, or not.
  public BaselineOptions withOneGpuWorkers(boolean cut) {
    return new BaselineOptions(
        placement, cut, reservations, preemptionCost, charge, thresholds, speed);
  }

  /// Returns a copy with a restart of this duration.
  public BaselineOptions with(Duration cost, ServiceCharge when) {
    return new BaselineOptions(
        placement,
        oneGpuWorkers,
        reservations,
        PreemptionCost.ofRestart(cost),
        when,
        thresholds,
        speed);
  }

  /// Returns a copy with another preemption cost.
  public BaselineOptions with(PreemptionCost other) {
    return new BaselineOptions(
        placement, oneGpuWorkers, reservations, other, charge, thresholds, speed);
  }

  /// Returns a copy with another placement.
  public BaselineOptions with(NodeChoice other) {
    return new BaselineOptions(
        other, oneGpuWorkers, reservations, preemptionCost, charge, thresholds, speed);
  }

  /// Returns a copy with other queues by GPU time.
  public BaselineOptions with(List<Duration> others) {
    return new BaselineOptions(
        placement, oneGpuWorkers, reservations, preemptionCost, charge, others, speed);
  }

  /// Returns a copy with another speed of jobs.
  public BaselineOptions with(SpeedModel other) {
    return new BaselineOptions(
        placement, oneGpuWorkers, reservations, preemptionCost, charge, thresholds, other);
  }

  /// Returns a description, one sentence for each option.
  public List<String> sentences() {
    return List.of(
        "Placement is %s.".formatted(placement.key()),
        oneGpuWorkers
            ? "A job of k GPUs is a gang of k workers of one GPU."
            : "Workers are those of the trace; only consolidated, first-fit and scattered look at"
                + " the job as a whole.",
        "A backfill reservation %s."
            .formatted(reservations == Reservations.NAMED ? "names its GPUs" : "only counts GPUs"),
        "Preempted jobs keep %s; %s costs %s, unless the trace states it."
            .formatted(
                preemptionCost.checkpoint().isPresent()
                    ? "what they did until the last checkpoint"
                    : "their progress",
                charge == ServiceCharge.RESTART
                    ? "a restart or a move"
                    : "every event that a job runs through",
                preemptionCost.restart()),
        "CPU, memory, topology and node selectors are not looked at; a part of a GPU takes a whole"
            + " one.");
  }
}
