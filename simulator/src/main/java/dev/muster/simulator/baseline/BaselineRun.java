package dev.muster.simulator.baseline;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.SimulatedScheduler;
import dev.muster.simulator.run.Simulation;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;

/// A run of a trace on a fleet under a classic policy.
///
/// At one instant all completions come first, then nodes that leave or return, then all submissions
/// in the order of the trace. Then the policy has one pass (Helios: completions, arrivals,
/// allocation).
///
/// A job without a placement on the empty fleet is rejected when it is submitted. A job is given up
/// if failing nodes stop it repeatedly before it makes progress
/// ([dev.muster.simulator.run.JobProgress#MOST_FAILURES]).
public final class BaselineRun implements SimulatedScheduler {
  private final BaselinePolicy policy;
  private final BaselineOptions options;
  private final BaselineCluster cluster;
  private final SimulationContext context;
  private long lastPass = -1;

  private BaselineRun(SimulationContext context, Policy policy) {
    this.context = context;
    this.policy = policy.name().make();
    this.options = policy.options();
    this.cluster = new BaselineCluster(context, this.policy, options);
  }

  /// A policy by its name, with its options.
  ///
  /// @param outages absence of nodes
  public record Policy(PolicyName name, BaselineOptions options, OutageSchedule outages) {
    /// Creates a policy with all nodes always present.
    public Policy(PolicyName name, BaselineOptions options) {
      this(name, options, OutageSchedule.NONE);
    }
  }

  /// Checks that the policy can schedule the fleet.
  ///
  /// @throws IllegalArgumentException if the fleet has cloud nodes, which no classic policy
  ///   requests
  public static void check(Fleet fleet, PolicyName policy) {
    if (fleet.hasCloudNodes()) {
      throw new IllegalArgumentException(
          "The fleet (%s) has cloud nodes, which classic policies such as %s never request. Without joinDelay they are always present; the policy muster requests them."
              .formatted(fleet.name(), policy.key()));
    }
  }

  /// Runs the trace to its end.
  ///
  /// @throws IllegalArgumentException if the policy cannot schedule the fleet
  public static RunResult of(
      SimulationSetup setup, Fleet fleet, Trace trace, Policy policy, RunObserver observer) {
    check(fleet, policy.name());
    SimulationContext context =
        SimulationContext.of(fleet, policy.options().speed(), policy.outages(), setup.seed());
    boolean stopped = Simulation.run(context, trace, new BaselineRun(context, policy), observer);
    return context.recorder().result(setup, stopped);
  }

  @Override
  public void submit(int index, TraceJob job) {
    cluster.submit(new JobState(index, job, GpuRequest.of(job, options.oneGpuWorkers())));
  }

  @Override
  public void nodeDown(int node) {
    cluster.nodeDown(node);
  }

  @Override
  public void nodeUp(int node) {
    cluster.nodeUp(node);
  }

  @Override
  public boolean hasJobs() {
    return cluster.waiting().size() > 0 || !cluster.running().isEmpty();
  }

  /// Returns the time of the next pass: now after an event, otherwise as the policy requests.
  @Override
  public long nextDecisionAt(boolean idle) {
    return cluster.hasChanged() ? context.now() : Math.max(lastPass + 1, policy.wakeAt(cluster));
  }

  @Override
  public void decide() {
    lastPass = context.now();
    cluster.clearChanged();
    cluster.charge();
    policy.pass(cluster);
  }
}
