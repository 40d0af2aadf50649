package dev.muster.simulator.run.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Explanation;
import dev.muster.core.engine.Engine;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.Request;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The whole fleet in its best state: no pods run, no node is out, and all cloud nodes have joined.
/// A job that the engine does not start there never starts.
public final class EmptyFleet {
  private final Fleet fleet;
  private final Engine engine;
  private final Instant start;
  private @Nullable State empty;
  private final Map<Shape, Optional<Veto>> known = new HashMap<>();

  /// All properties of a job that decide its placement.
  private record Shape(
      String queue,
      int workers,
      int minWorkers,
      Request request,
      GangConstraints constraints,
      int priority) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Shape that
          && workers == that.workers
          && minWorkers == that.minWorkers
          && priority == that.priority
          && queue.equals(that.queue)
          && request.equals(that.request)
          && constraints.equals(that.constraints);
    }

    /// Hashes three fields only, since few jobs differ in the others alone.
    @Override
    public int hashCode() {
      return 31 * (31 * queue.hashCode() + workers) + request.gpus();
    }

    private static GangConstraints timeless(GangConstraints constraints) {
      return constraints.runtime().isEmpty()
          ? constraints
          : new GangConstraints(constraints.topology(), constraints.gpus(), Optional.empty());
    }

    static Shape of(TraceJob job) {
      return new Shape(
          job.queue(),
          job.workers(),
          job.minWorkers(),
          job.request(),
          timeless(job.constraints()),
          job.priority());
    }
  }

  /// Returns this fleet under the default configuration.
  public static EmptyFleet of(Fleet fleet) {
    return new EmptyFleet(fleet, new Engine(Policies.DEFAULT), Instant.EPOCH);
  }

  EmptyFleet(Fleet fleet, Engine engine, Instant start) {
    this.fleet = fleet;
    this.engine = engine;
    this.start = start;
  }

  /// Returns the reason why the job has no placement; empty if it has one.
  public Optional<Veto> refuses(TraceJob job) {
    return refuses(job, State.empty(fleet.topology(), engine.policies()));
  }

  /// Returns the reason why the job has no placement, with the state of a run as a shortcut. Before
  /// its first job all nodes are normally present and empty, so the engine need not be shown them
  /// again.
  Optional<Veto> refuses(TraceJob job, State now) {
    if (empty == null) {
      boolean whole = now.cluster().nodes().size() == fleet.nodes().size();
      empty = whole && now.cluster().gangs().isEmpty() ? now : shown();
    }
    State nobody = empty;
    Shape shape = Shape.of(job);
    Optional<Veto> before = known.get(shape);
    if (before == null) {
      before = tried(job, nobody);
      known.put(shape, before);
    }
    return before;
  }

  private State shown() {
    State state = State.empty(fleet.topology(), engine.policies());
    for (Node node : fleet.nodes()) {
      state = engine.step(state, new Event.NodeSeen(start, node)).after();
    }
    return engine.step(state, new Event.Synced(start)).after();
  }

  /// Tries the job. No gang can be evicted here, so eviction is not a remedy.
  private Optional<Veto> tried(TraceJob job, State empty) {
    SimGang gang = new SimGang(0, job, start);
    State state = empty;
    for (Event event : gang.arrival(start, 0)) {
      state = engine.step(state, event).after();
    }
    if (state.cluster().reservations().get(gang.id).isPresent()) {
      return Optional.empty(); // it starts, perhaps with fewer members than it has
    }
    return state
        .why(gang.id)
        .flatMap(Explanation::main)
        .filter(veto -> veto.remedy() == Remedy.NEVER || veto.remedy() == Remedy.EVICTION);
  }
}
