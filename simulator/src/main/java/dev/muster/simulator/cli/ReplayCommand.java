package dev.muster.simulator.cli;

import dev.muster.core.decision.PlainText;
import dev.muster.core.engine.Engine;
import dev.muster.policy.journal.JournalReader;
import dev.muster.policy.journal.Replay;
import dev.muster.simulator.cli.terminal.ProgressStream;
import dev.muster.simulator.cli.terminal.ReadProgressLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The command `muster simulate replay`: repeats the decisions of a live run from its journal.
@Command(
    name = "replay",
    description = "Replays the journal of a live server and compares every decision.",
    mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "Journal written by the server.")
  private @Nullable Path file;

  @Option(
      names = "--preemption",
      paramLabel = "PLACE",
      description =
          "Preemption policy that was in force, a file or folder. Repeatable, once for each"
              + " revision.")
  private List<Path> preemption = List.of();

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException {
    if (file == null || !Files.exists(file)) {
      throw new IllegalArgumentException("%s: no such file.".formatted(file));
    }
    try (InterruptHandler interrupt = new InterruptHandler();
        JournalReader journal = JournalReader.open(file)) {
      Replay replay = replayed(journal, interrupt);
      if (replay.turns() == 0) {
        throw nothingReplayed(replay);
      }
      print(replay, journal.isTorn(), interrupt.getAsBoolean());
      interrupt.report("only the turns replayed so far were compared.");
      return replay.difference().isEmpty() ? 0 : 1;
    }
  }

  private Replay replayed(JournalReader journal, InterruptHandler interrupt) throws IOException {
    ReadProgressLine progress =
        new ReadProgressLine(ProgressStream.open(), interrupt, System::nanoTime);
    PolicyRevisions policies = PolicyRevisions.read(preemption);
    try {
      return Replay.of(
          journal,
          header -> new Engine(header.plainPolicies().with(policies.revision(header.preemption()))),
          (engine, changed) -> engine.with(policies.revision(changed.revision())),
          progress);
    } finally {
      progress.end(); // errors start on their own line
    }
  }

  private IllegalArgumentException nothingReplayed(Replay replay) {
    return new IllegalArgumentException(
        replay.left() > 0
            ? "%s: none of its %,d turns can be replayed, because the beginning of their run is missing. Older files (FILE.1, FILE.2, ...) must be in the same folder and of the same version of Muster."
                .formatted(file, replay.left())
            : "%s: no turns to replay.".formatted(file));
  }

  /// Prints the result of the replay.
  ///
  /// @param torn true if the last line of the journal was cut off
  /// @param whole true if the replay reached the end
  private void print(Replay replay, boolean torn, boolean whole) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("Replayed %,d turns in %d run(s).%n", replay.turns(), replay.runs());
    if (replay.left() > 0) {
      out.printf(
          "Skipped %,d turns, because turns before them are missing: rotated away, not written, or"
              + " of another version of Muster.%n",
          replay.left());
    }
    if (torn) {
      out.println("Skipped the last line, which is incomplete.");
    }
    replay
        .difference()
        .ifPresentOrElse(
            each -> print(out, each),
            () ->
                out.println(
                    whole ? "Every decision is the same." : "Every decision so far is the same."));
    out.flush();
  }

  private static void print(PrintWriter out, Replay.Difference first) {
    out.printf(
        "%s:%d: first decision that differs.%nEvent:   %s%nJournal: %s%nReplay:  %s%n",
        PlainText.values(
            first.file(), first.line(), first.event(), first.journaled(), first.replayed()));
    out.println("Possible causes: another version of Muster, or other policies.");
  }
}
