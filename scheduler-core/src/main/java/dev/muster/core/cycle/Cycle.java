package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.util.function.UnaryOperator;

/// A cycle is one run of the engine's stages for one event, up to the present stage.
///
/// Each stage takes the cycle of the stage before it, and returns one with another state. All
/// stages of a cycle share the [CycleResult], which collects decisions and effects. It is the only
/// mutable component, and no cycle outlives the call of `Engine.step`.
///
/// @param event the event
/// @param policies the configuration
/// @param before the state before the event, with the time of an outage credited; in the first
///   cycle also with the preemptions that the gangs' objects record
/// @param scheduled the state after the last scheduling round, or `before`: capacity that came free
///   since then wakes gangs
/// @param state the state after the last stage
/// @param result decisions and effects so far
public record Cycle(
    Event event,
    Policies policies,
    State before,
    State scheduled,
    State state,
    CycleResult result) {
  /// Returns the cycle of an event: its facts are applied, and nothing is decided yet.
  public static Cycle begin(State last, Event event, Policies policies) {
    State before = OutageCredit.credit(event, last, policies);
    State facts = before.with(before.cluster().apply(event));
    return new Cycle(event, policies, before, before, facts, new CycleResult());
  }

  /// Returns this cycle after one more stage.
  public Cycle then(UnaryOperator<Cycle> stage) {
    return stage.apply(this);
  }

  /// Returns the result of the cycle.
  public Step end() {
    return new Step(state, result.decisions(), result.effects());
  }

  /// True if all objects have been seen, so that decisions can be made.
  public boolean isSynced() {
    return state.cluster().synced();
  }

  /// True if this is the first cycle that makes decisions after a start or restart.
  public boolean isFirst() {
    return !before.cluster().synced();
  }

  /// True if only time has passed. Most deadlines are checked at ticks only.
  public boolean isTick() {
    return event instanceof Event.Tick;
  }

  /// Returns this cycle with another state.
  public Cycle with(State other) {
    return new Cycle(event, policies, before, scheduled, other, result);
  }

  /// Returns this cycle with another image of the cluster.
  public Cycle with(Cluster image) {
    return with(state.with(image));
  }

  /// Returns this cycle with the state that a scheduling round left.
  public Cycle scheduled(State after) {
    return new Cycle(event, policies, before, after, after, result);
  }

  /// Returns this cycle as if it had begun in another state, with the facts of the event applied.
  public Cycle startingFrom(State other) {
    return new Cycle(event, policies, other, other, other.with(state.cluster()), result);
  }
}
