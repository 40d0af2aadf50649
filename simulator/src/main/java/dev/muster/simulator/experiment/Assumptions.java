package dev.muster.simulator.experiment;

import dev.muster.core.state.Policies;
import dev.muster.simulator.baseline.BaselineOptions;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.record.QueueBudgets;
import dev.muster.simulator.run.record.SpeedModel;
import java.time.Duration;

/// The assumptions of a run about speeds, losses, outages, latency and policies.
///
/// @param speed speed of jobs by GPU model and by span of domains
/// @param preemptionCost progress that a stopped job loses
/// @param outages times at which nodes are absent
/// @param latency time of the control plane from a decision until the pods run; used by the
///   production engine only
/// @param options the other settings of the classic policies
/// @param arrivals factor of the arrival rate: 2 halves all submission times; greater than 0
/// @param policies configuration of the production engine
/// @param budgets GPU-hours that may be used; they are reported and limit no job
/// @param wishes the GPU models that jobs prefer by size
public record Assumptions(
    SpeedModel speed,
    PreemptionCost preemptionCost,
    OutageSchedule outages,
    Duration latency,
    BaselineOptions options,
    double arrivals,
    Policies policies,
    QueueBudgets budgets,
    ModelWishes wishes) {
  /// Assumptions with the default configuration of the production engine and without budgets.
  public Assumptions(
      SpeedModel speed,
      PreemptionCost preemptionCost,
      OutageSchedule outages,
      Duration latency,
      BaselineOptions options,
      double arrivals) {
    this(
        speed,
        preemptionCost,
        outages,
        latency,
        options,
        arrivals,
        Policies.DEFAULT,
        QueueBudgets.NONE,
        ModelWishes.NONE);
  }

  /// The neutral assumptions: jobs run as in the trace, without failures, losses or latency.
  public static final Assumptions NONE =
      new Assumptions(
          SpeedModel.FULL,
          PreemptionCost.NONE,
          OutageSchedule.NONE,
          Duration.ZERO,
          BaselineOptions.of(NodeChoice.CONSOLIDATED),
          1);

  /// Returns these assumptions with other budgets.
  public Assumptions with(QueueBudgets other) {
    return new Assumptions(
        speed, preemptionCost, outages, latency, options, arrivals, policies, other, wishes);
  }

  /// Returns these assumptions with other outages.
  public Assumptions with(OutageSchedule other) {
    return new Assumptions(
        speed, preemptionCost, other, latency, options, arrivals, policies, budgets, wishes);
  }

  /// Returns these assumptions with another factor of the arrival rate.
  ///
  /// @param times factor of the trace's rate, greater than 0; replaces the present one
  public Assumptions hastened(double times) {
    return new Assumptions(
        speed, preemptionCost, outages, latency, options, times, policies, budgets, wishes);
  }

  public Assumptions {
    if (!(arrivals >= 0.001 && arrivals <= 1000)) {
      throw new IllegalArgumentException(
          "Arrival factor %s: must be 0.001 to 1000.".formatted(arrivals));
    }
  }
}
