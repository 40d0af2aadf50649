package dev.muster.simulator.run;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Node;
import dev.muster.core.decision.Explanation;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.Policies;
import dev.muster.core.engine.State;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Wishes;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The whole fleet as it never is in a run: nobody is on it, no node is out, all cloud nodes have
/// come. What the engine does not start there, it never starts.
public final class EmptyFleet {
  private final Engine engine;
  private final Instant start;
  private final State empty;
  private final Map<Shape, Optional<Veto>> known = new HashMap<>();

  /// All of a job that its place hangs on.
  private record Shape(
      String queue, int workers, int minWorkers, Request request, Wishes wishes, int priority) {
    static Shape of(TraceJob job) {
      Wishes wishes = job.wishes();
      return new Shape(
          job.queue(),
          job.workers(),
          job.minWorkers(),
          job.request(),
          new Wishes(wishes.topology(), wishes.gpus(), Optional.empty()),
          job.priority());
    }
  }

  /// This fleet under the default configuration.
  public static EmptyFleet of(Fleet fleet) {
    return new EmptyFleet(fleet, new Engine(Policies.DEFAULT), Instant.EPOCH);
  }

  EmptyFleet(Fleet fleet, Engine engine, Instant start) {
    this.engine = engine;
    this.start = start;
    State state = State.empty(fleet.topology(), engine.policies());
    for (Node node : fleet.nodes()) {
      state = engine.step(state, new Event.NodeSeen(start, node)).after();
    }
    this.empty = engine.step(state, new Event.Synced(start)).after();
  }

  /// Why there is no place for the job; empty if there is one.
  public Optional<Veto> refuses(TraceJob job) {
    return known.computeIfAbsent(Shape.of(job), _ -> tried(job));
  }

  /// Nobody is there to be evicted: then that is no remedy either.
  private Optional<Veto> tried(TraceJob job) {
    SimGang gang = new SimGang(0, job, start);
    State state = empty;
    for (Event event : gang.arrival(start)) {
      state = engine.step(state, event).after();
    }
    if (state.cluster().reservations().get(gang.id).isPresent()) {
      return Optional.empty(); // it starts, if with fewer members than it has
    }
    return state
        .why(gang.id)
        .flatMap(Explanation::main)
        .filter(veto -> veto.remedy() == Remedy.NEVER || veto.remedy() == Remedy.EVICTION);
  }
}
