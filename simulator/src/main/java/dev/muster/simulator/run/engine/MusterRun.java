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

/// A trace on a fleet under the production brain: the engine, policies and driver of the live
/// server, on a virtual clock.
///
/// The loop is [Simulation], the scheduler [EngineScheduler], and what it schedules
/// [VirtualCluster].
public final class MusterRun {
  private MusterRun() {}

  /// The options of a run.
  ///
  /// @param latency how long the control plane takes from a decision until the pods run
  /// @param pace how fast gangs run where
  /// @param losses what a gang loses that is stopped
  /// @param outages when nodes are not there
  /// @param watch looks on
  public record Options(Duration latency, SpeedModel speed, PreemptionCost preemptionCost, OutageSchedule outages, RunObserver observer) {
    /// The control plane takes no time, nothing fails; nobody looks on.
    public static final Options DEFAULT = of(Duration.ZERO, RunObserver.NONE);

    /// Nothing fails, and everything runs as the trace says.
    public static Options of(Duration latency, RunObserver observer) {
      return new Options(latency, SpeedModel.FULL, PreemptionCost.NONE, OutageSchedule.NONE, observer);
    }
  }

  /// Runs the trace to its end.
  ///
  /// @param setup what the result is to say of the run
  public static RunResult of(
      SimulationSetup setup, Fleet fleet, Trace trace, Policies policies, Options options) {
    return of(setup, fleet, trace, policies, options, Journal.NONE);
  }

  /// Runs the trace to its end, and notes every turn in a journal.
  public static RunResult of(
      SimulationSetup setup, Fleet fleet, Trace trace, Policies policies, Options options, Journal journal) {
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
