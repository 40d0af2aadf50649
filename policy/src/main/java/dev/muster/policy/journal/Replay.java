package dev.muster.policy.journal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/// The result of replaying a journal.
///
/// @param runs number of runs begun, or continued if the journal begins within one
/// @param turns number of turns replayed, the differing one included
/// @param left number of turns left out, since turns of their run are missing before them
/// @param difference the first turn with other decisions; absent if there is none
public record Replay(long runs, long turns, long left, Optional<Difference> difference) {

  /// A turn whose replayed decisions differ.
  ///
  /// @param file the file of the journal
  /// @param line the line in it
  /// @param event the event of the turn
  /// @param journaled the decisions in the journal
  /// @param replayed the decisions of the replay
  public record Difference(
      Path file, int line, Event event, JsonNode journaled, JsonNode replayed) {}

  /// Feeds the journal's events to engines made from its headers, up to the first difference.
  ///
  /// Each run gets a fresh engine with an empty image. If turns are missing, the replay continues
  /// from the next image.
  ///
  /// @param engines makes the engine of a run
  /// @throws MalformedJournal if a line is not understood
  /// @throws IOException if the journal cannot be read
  public static Replay of(JournalReader journal, Function<JournalHeader, Engine> engines)
      throws IOException {
    return of(journal, engines, (engine, _) -> engine, _ -> true);
  }

  /// Replays a journal with runs in which the preemption policy changed.
  ///
  /// @param engines makes the engine of a run
  /// @param reloaded makes the engine that decides from a change of the policy on
  /// @param goesOn called after each line; false ends the replay
  /// @throws MalformedJournal if a line is not understood, or the policy of its time is not
  ///   available: one of the two functions, or an engine, throws an exception, which is the cause
  /// @throws IOException if the journal cannot be read
  public static Replay of(
      JournalReader journal,
      Function<JournalHeader, Engine> engines,
      BiFunction<Engine, Event.PolicyChanged, Engine> reloaded,
      Predicate<JournalReader> goesOn)
      throws IOException {
    Course course = new Course(journal, engines, reloaded);
    Optional<Difference> difference = Optional.empty();
    Optional<JournalEntry> entry = journal.next();
    while (entry.isPresent() && difference.isEmpty()) {
      difference = course.go(entry.get());
      boolean on = goesOn.test(journal) && difference.isEmpty();
      entry = on ? journal.next() : Optional.empty();
    }
    return new Replay(course.runs, course.turns, course.left, difference);
  }

  /// The engine and its state during the replay.
  private static final class Course {
    private final JournalReader journal;
    private final Function<JournalHeader, Engine> engines;
    private final BiFunction<Engine, Event.PolicyChanged, Engine> reloaded;
    private Optional<Engine> engine = Optional.empty();
    private Optional<State> state = Optional.empty();
    private long runs;
    private long turns;
    private long left;

    Course(
        JournalReader journal,
        Function<JournalHeader, Engine> engines,
        BiFunction<Engine, Event.PolicyChanged, Engine> reloaded) {
      this.journal = journal;
      this.engines = engines;
      this.reloaded = reloaded;
    }

    Optional<Difference> go(JournalEntry entry) throws IOException {
      return switch (entry) {
        case JournalHeader header -> {
          Engine made = journal.made(() -> engines.apply(header));
          engine = Optional.of(made);
          state = Optional.of(State.empty(header.topology(), made.policies()));
          runs++;
          yield Optional.empty();
        }
        case JournalEntry.Image image -> {
          state = image.state();
          engine =
              state.isPresent()
                  ? Optional.of(journal.made(() -> engines.apply(image.header())))
                  : Optional.empty();
          state = state.flatMap(read -> engine.map(made -> read.under(made.policies())));
          runs += runs == 0 ? 1 : 0;
          yield Optional.empty();
        }
        case JournalEntry.Continuation _ -> {
          engine = Optional.empty();
          yield Optional.empty();
        }
        case JournalEntry.Turn turn -> {
          left += engine.isEmpty() ? 1 : 0;
          yield engine.isEmpty() ? Optional.empty() : go(engine.get(), turn);
        }
      };
    }

    private Optional<Difference> go(Engine before, JournalEntry.Turn turn) throws IOException {
      turns++;
      Event event = turn.event();
      Engine now =
          event instanceof Event.PolicyChanged changed
              ? journal.made(() -> reloaded.apply(before, changed))
              : before;
      Step step = journal.step(now, state.orElseThrow(), event);
      engine = Optional.of(now);
      state = Optional.of(step.after());
      JsonNode replayed = JournalJson.tree(step.decisions());
      return replayed.equals(turn.decisions())
          ? Optional.empty()
          : Optional.of(
              new Difference(journal.file(), journal.line(), event, turn.decisions(), replayed));
    }
  }
}
