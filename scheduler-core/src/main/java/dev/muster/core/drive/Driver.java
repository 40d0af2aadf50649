package dev.muster.core.drive;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import java.util.Optional;

/// The only loop: read, step, journal, perform. The live server and the simulator differ in the
/// ports alone.
///
/// @param engine the brain
/// @param inbox where events come from
/// @param journal where turns are noted
/// @param outbox where effects go
/// @param succession how the brain changes with its policies
public record Driver(
    Engine engine, Inbox inbox, Journal journal, Outbox outbox, Succession succession) {
  /// A loop whose brain stays what it is.
  public Driver(Engine engine, Inbox inbox, Journal journal, Outbox outbox) {
    this(engine, inbox, journal, outbox, Succession.NONE);
  }

  /// Runs until the inbox has no more events; returns the last state.
  ///
  /// @throws InterruptedException when the thread is interrupted while it waits for an event
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
