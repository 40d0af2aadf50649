package dev.muster.simulator.run.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Explanation;
import dev.muster.core.drive.Driver;
import dev.muster.core.drive.Journal;
import dev.muster.core.engine.Engine;
import dev.muster.core.fit.Veto;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.simulator.run.SimulatedScheduler;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.record.Rental;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The engine of the live server, with the live [Driver], on a virtual cluster.
///
/// It decides after each event. The live server ticks every second. Here a tick is left out if it
/// would find nothing changed since the previous one and nothing due ([TickSchedule]). A job
/// without a placement on the empty fleet is rejected when it is submitted; the engine would let it
/// wait endlessly.
final class EngineScheduler implements SimulatedScheduler {
  private final SimulationContext context;
  private final Policies policies;
  private final VirtualCluster cluster;
  private final CloudNodes cloud;
  private final EmptyFleet emptyFleet;
  private final TickSchedule ticks;
  private final Driver driver;
  private State state;

  EngineScheduler(
      SimulationContext context,
      Policies policies,
      Instant start,
      VirtualCluster cluster,
      Journal journal) {
    Engine engine = new Engine(policies);
    this.context = context;
    this.policies = policies;
    this.cluster = cluster;
    this.cloud = new CloudNodes(context.fleet(), engine);
    this.emptyFleet = new EmptyFleet(context.fleet(), engine, start);
    this.ticks = new TickSchedule(policies, start);
    this.driver = new Driver(engine, cluster, journal, this::perform);
    this.state = State.empty(context.fleet().topology(), policies).unseen();
    cluster.sync();
  }

  /// Lets the engine take a step for each event that it has not seen.
  @Override
  public void react() {
    try {
      driver.run(state);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException("The inbox in memory never waits.", impossible);
    }
    if (cluster.takePodsChanged()) {
      cloud.invalidate();
    }
  }

  private void perform(Step step) {
    ticks.stepped(state, step.after(), context.now());
    cloud.stepped(state, step.after(), context.now());
    state = step.after();
    cluster.perform(step);
  }

  @Override
  public void submit(int index, TraceJob job) {
    Optional<Veto> never = emptyFleet.refuses(job, state);
    if (never.isPresent()) {
      context.recorder().reject(index, never.get());
    } else {
      cluster.submit(index, job, 0);
    }
  }

  @Override
  public int priority(TraceJob job) {
    return policies.queues().priority(SimGang.queue(job), job.priority());
  }

  @Override
  public boolean hasJobs() {
    return !cluster.gangs().isEmpty();
  }

  @Override
  public void nodeDown(int node) {
    if (!context.fleet().isOnDemand(node) || cloud.fail(node, context.now())) {
      cluster.nodeDown(node);
    }
  }

  /// Reports a returned node; a cloud node that failed does not return.
  @Override
  public void nodeUp(int node) {
    if (!context.fleet().isOnDemand(node)) {
      cluster.nodeUp(node);
    }
  }

  @Override
  public long nextScalingAt() {
    return cloud.nextAt(state, context.now());
  }

  @Override
  public void scale() {
    cloud.joining(context.now()).forEach(cluster::nodeUp);
    cloud.leaving(state, context.now()).forEach(cluster::nodeLeaves);
    if (cluster.isQuiet()) {
      cloud.look(state, cluster.now(), context.now());
    }
  }

  @Override
  public long nextDecisionAt(boolean idle) {
    return ticks.next(state, idle);
  }

  @Override
  public void decide() {
    ticks.tick(context.now());
    cluster.add(new Event.Tick(cluster.now()));
  }

  /// Returns the paid periods of cloud nodes.
  List<Rental> rentals() {
    return cloud.rentals(context.now());
  }

  /// Records the engine's reason for each gang that still waits.
  void explainWaiting() {
    for (SimGang gang : cluster.gangs()) {
      if (!gang.progress.runs()) {
        context.recorder().explain(gang.index, state.why(gang.id).flatMap(Explanation::main));
      }
    }
  }
}
