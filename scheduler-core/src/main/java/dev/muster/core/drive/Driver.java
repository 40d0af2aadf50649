package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.util.Optional;

/// The scheduler's only loop: read an event, step, journal, perform effects. The live server and
/// the simulator differ only in the ports.
///
/// @param engine the decision logic
/// @param inbox source of events
/// @param journal record of steps
/// @param outbox receiver of effects
/// @param succession changes of the engine when its policies change
public record Driver(
    Engine engine, Inbox inbox, Journal journal, Outbox outbox, Succession succession) {
  /// Creates a loop whose engine never changes.
  public Driver(Engine engine, Inbox inbox, Journal journal, Outbox outbox) {
    this(engine, inbox, journal, outbox, Succession.NONE);
  }

  /// Runs until the inbox has no more events; returns the last state.
  ///
  /// @throws InterruptedException if the thread is interrupted while it waits for an event
  public State run(State start) throws InterruptedException {
    State state = start;
    Engine brain = engine;
    for (Optional<Event> event = inbox.next(); event.isPresent(); event = inbox.next()) {
      brain = succession.next(brain, event.get());
      Step step = brain.step(state, event.get());
      journal.note(event.get(), step);
      outbox.perform(step);
      state = step.after();
    }
    return state;
  }
}
