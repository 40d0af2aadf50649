package dev.muster.simulator.run.engine;

import dev.muster.core.drive.Journal;
import dev.muster.core.state.Policies;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.Simulation;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.trace.Trace;
import java.time.Duration;

/// A run of a trace on a fleet under the engine, policies and driver of the live server. Its clock
/// is virtual.
///
/// The loop is [Simulation], the scheduler is [EngineScheduler], and the cluster is
/// [VirtualCluster].
public final class MusterRun {
  private MusterRun() {}

  /// The options of a run.
  ///
  /// @param latency delay of the control plane from a decision until the pods run
  /// @param speed speed of gangs on given nodes
  /// @param preemptionCost loss of a gang that is stopped
  /// @param outages absence of nodes
  /// @param observer observer of the run
  public record Options(
      Duration latency,
      SpeedModel speed,
      PreemptionCost preemptionCost,
      OutageSchedule outages,
      RunObserver observer) {
    /// Options without latency, failures and observer.
    public static final Options DEFAULT = of(Duration.ZERO, RunObserver.NONE);

    /// Returns options without failures, with all jobs at the speed of the trace.
    public static Options of(Duration latency, RunObserver observer) {
      return new Options(
          latency, SpeedModel.FULL, PreemptionCost.NONE, OutageSchedule.NONE, observer);
    }
  }

  /// Runs the trace to its end.
  ///
  /// @param setup description of the run for the result
  public static RunResult of(
      SimulationSetup setup, Fleet fleet, Trace trace, Policies policies, Options options) {
    return of(setup, fleet, trace, policies, options, Journal.NONE);
  }

  /// Runs the trace to its end, and writes every step to a journal.
  public static RunResult of(
      SimulationSetup setup,
      Fleet fleet,
      Trace trace,
      Policies policies,
      Options options,
      Journal journal) {
    SimulationContext context =
        SimulationContext.of(fleet, options.speed(), options.outages(), setup.seed());
    var controlPlane =
        new VirtualCluster.ControlPlane(Duration.ZERO, options.latency(), PodBinder.ALWAYS);
    VirtualCluster cluster =
        new VirtualCluster(context, trace.start(), controlPlane, options.preemptionCost());
    EngineScheduler scheduler =
        new EngineScheduler(context, policies, trace.start(), cluster, journal);
    boolean stopped = Simulation.run(context, trace, scheduler, options.observer());
    scheduler.explainWaiting();
    return context.recorder().result(setup, stopped, scheduler.rentals());
  }
}
