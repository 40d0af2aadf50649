package dev.muster.policy.journal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/**
 * What came of replaying a journal.
 *
 * @param runs how many runs were begun
 * @param turns how many turns were replayed, the differing one included
 * @param difference where the replay first decided otherwise; absent: it never did
 */
public record Replay(long runs, long turns, Optional<Difference> difference) {

  /**
   * A turn that went otherwise.
   *
   * @param line the line of the journal
   * @param event what happened
   * @param journaled what was decided then
   * @param replayed what is decided now
   */
  public record Difference(int line, Event event, JsonNode journaled, JsonNode replayed) {}

  /**
   * Feeds the journal's events to engines made from its headers, a fresh one with an empty image
   * for each run, up to the first difference.
   *
   * @param engines makes the engine of a run
   * @throws BadJournal if a line is not understood
   * @throws IOException if the journal cannot be read
   */
  public static Replay of(JournalReader journal, Function<Header, Engine> engines)
      throws IOException {
    Course course = new Course(engines);
    Optional<Difference> difference = Optional.empty();
    Optional<Entry> entry = journal.next();
    while (entry.isPresent() && difference.isEmpty()) {
      difference = course.go(entry.get(), journal.line());
      entry = difference.isEmpty() ? journal.next() : Optional.empty();
    }
    return new Replay(course.runs, course.turns, difference);
  }

  /** The engine and its state on the way through the journal. */
  private static final class Course {
    private final Function<Header, Engine> engines;
    private Optional<Engine> engine = Optional.empty();
    private Optional<State> state = Optional.empty();
    private long runs;
    private long turns;

    Course(Function<Header, Engine> engines) {
      this.engines = engines;
    }

    Optional<Difference> go(Entry entry, int line) throws IOException {
      return switch (entry) {
        case Header header -> {
          Engine made = engines.apply(header);
          engine = Optional.of(made);
          state = Optional.of(State.empty(header.topology(), made.policies()));
          runs++;
          yield Optional.empty();
        }
        case Entry.Turn(Event event, JsonNode journaled) -> {
          turns++;
          Step step = engine.orElseThrow().step(state.orElseThrow(), event);
          state = Optional.of(step.after());
          JsonNode replayed = JournalJson.tree(step.decisions());
          yield replayed.equals(journaled)
              ? Optional.empty()
              : Optional.of(new Difference(line, event, journaled, replayed));
        }
      };
    }
  }
}
