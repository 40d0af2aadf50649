package dev.muster.simulator.baseline;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.record.SpeedModel;
import java.time.Duration;
import java.util.List;

/// What results hang on besides the order: each of it switchable.
///
/// @param placement where the GPUs of a job are taken from
/// @param oneGpuWorkers whether a job of k GPUs counts as a gang of k workers of one GPU
/// @param reservations what is promised to a job that is to start later, where a policy backfills
/// @param losses what a job loses that is stopped or moved
/// @param charge when its restart is charged
/// @param thresholds GPU time after which a job is in the next lower queue, ascending, where a
///   policy has queues by GPU time
/// @param pace how fast jobs run where
public record BaselineOptions(
    NodeChoice placement,
    boolean oneGpuWorkers,
    Reservations reservations,
    PreemptionCost preemptionCost,
    ServiceCharge charge,
    List<Duration> thresholds,
    SpeedModel speed) {
  /// What a backfill reservation promises.
  public enum Reservations {
    /// So many GPUs, wherever they are (EASY as published).
    COUNTED,
    /// These very GPUs (Batsim).
    NAMED
  }

  /// When a preemptive policy's overhead is charged.
  public enum ServiceCharge {
    /// When a job runs again after it was stopped, or was moved.
    RESTART,
    /// In every interval between two events that a job runs through without ending, stopped or not
    /// (the Muri simulator).
    EVERY_EVENT
  }

  public BaselineOptions {
    thresholds = List.copyOf(thresholds);
    Duration before = Duration.ZERO;
    for (Duration threshold : thresholds) {
      if (threshold.compareTo(before) <= 0) {
        throw new IllegalArgumentException(
            "The thresholds (%s) must be longer one after the other. Maybe sort them."
                .formatted(String.join(", ", thresholds.stream().map(Durations::print).toList())));
      }
      before = threshold;
    }
  }

  /// As published, with this placement: GPUs counted, preemption free of charge.
  public static BaselineOptions of(NodeChoice placement) {
    return new BaselineOptions(
        placement,
        false,
        Reservations.COUNTED,
        PreemptionCost.NONE,
        ServiceCharge.RESTART,
        List.of(Duration.ofHours(1), Duration.ofHours(10)),
        SpeedModel.FULL);
  }

  /// The same with other reservations.
  public BaselineOptions with(Reservations other) {
    return new BaselineOptions(placement, oneGpuWorkers, other, preemptionCost, charge, thresholds, speed);
  }

  /// The same with each job cut into workers of one GPU, or not.
  public BaselineOptions withOneGpuWorkers(boolean cut) {
    return new BaselineOptions(placement, cut, reservations, preemptionCost, charge, thresholds, speed);
  }

  /// The same with restarts that cost so much.
  public BaselineOptions with(Duration cost, ServiceCharge when) {
    return new BaselineOptions(
        placement, oneGpuWorkers, reservations, PreemptionCost.ofRestart(cost), when, thresholds, speed);
  }

  /// The same with other losses.
  public BaselineOptions with(PreemptionCost other) {
    return new BaselineOptions(placement, oneGpuWorkers, reservations, other, charge, thresholds, speed);
  }

  /// The same with another placement.
  public BaselineOptions with(NodeChoice other) {
    return new BaselineOptions(other, oneGpuWorkers, reservations, preemptionCost, charge, thresholds, speed);
  }

  /// The same with other queues by GPU time.
  public BaselineOptions with(List<Duration> others) {
    return new BaselineOptions(placement, oneGpuWorkers, reservations, preemptionCost, charge, others, speed);
  }

  /// The same with jobs that run at another pace.
  public BaselineOptions with(SpeedModel other) {
    return new BaselineOptions(placement, oneGpuWorkers, reservations, preemptionCost, charge, thresholds, other);
  }

  /// What it means, a sentence each.
  public List<String> sentences() {
    return List.of(
        "Placement is %s.".formatted(placement.key()),
        oneGpuWorkers
            ? "A job of k GPUs is a gang of k workers of one GPU."
            : "Workers are those of the trace; only consolidated, first-fit and scattered look at"
                + " the job as a whole.",
        "A backfill reservation %s."
            .formatted(reservations == Reservations.NAMED ? "names its GPUs" : "only counts GPUs"),
        "Preempted jobs keep %s; %s costs %s s."
            .formatted(
                preemptionCost.checkpoint().isPresent()
                    ? "what they did until the last checkpoint"
                    : "their progress",
                charge == ServiceCharge.RESTART
                    ? "a restart or a move"
                    : "every event that a job runs through",
                preemptionCost.restart().toMillis() / 1000.0),
        "CPU, memory, topology and node selectors are not looked at; a part of a GPU takes a whole"
            + " one.");
  }
}
