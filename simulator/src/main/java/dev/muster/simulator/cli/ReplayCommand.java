package dev.muster.simulator.cli;

import dev.muster.core.engine.Engine;
import dev.muster.policy.journal.JournalReader;
import dev.muster.policy.journal.Replay;
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

/// `muster simulate replay`: the journal of a live run, decided anew.
@Command(
    name = "replay",
    description =
        "Feeds the journal of a live run to the scheduler again; every decision must be the same.",
    mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The journal, as the server wrote it.")
  private @Nullable Path file;

  @Option(
      names = "--preemption",
      paramLabel = "PLACE",
      description =
          "A preemption policy that was in force, a file or folder as it was then. May be given"
              + " more than once: each revision is found by itself.")
  private List<Path> preemption = List.of();

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Override
  public Integer call() throws IOException {
    if (file == null || !Files.exists(file)) {
      throw new IllegalArgumentException(
          "%s: there is no such file. Maybe the journal is not switched on, or was moved."
              .formatted(file));
    }
    try (Interrupt interrupt = new Interrupt();
        JournalReader journal = JournalReader.open(file)) {
      Replay replay = replayed(journal, interrupt);
      if (replay.turns() == 0) {
        throw nothingReplayed(replay);
      }
      tell(replay, journal.isTorn(), interrupt.getAsBoolean());
      interrupt.tell("only the turns replayed so far were compared.");
      return replay.difference().isEmpty() ? 0 : 1;
    }
  }

  private Replay replayed(JournalReader journal, Interrupt interrupt) throws IOException {
    ReadingLine progress = new ReadingLine(System.err, interrupt, System::nanoTime);
    PoliciesAtHand policies = PoliciesAtHand.read(preemption);
    try {
      return Replay.of(
          journal,
          header -> new Engine(header.plainPolicies().with(policies.revision(header.preemption()))),
          (engine, changed) -> engine.with(policies.revision(changed.revision())),
          progress);
    } finally {
      progress.end(); // what is wrong is told on a line of its own
    }
  }

  private IllegalArgumentException nothingReplayed(Replay replay) {
    return new IllegalArgumentException(
        replay.left() > 0
            ? "%s: there are %,d turns, but not those before them, and a run is replayed from its beginning. Maybe the older files (FILE.1, FILE.2 and so on) are elsewhere, or another version of Muster wrote them; a restart of the server begins another run."
                .formatted(file, replay.left())
            : "%s: there is no turn to replay. Maybe it is not the journal, or the server has only begun it."
                .formatted(file));
  }

  /// @param torn whether the last line of the journal was cut off
  /// @param whole whether the replay came to the end
  private void tell(Replay replay, boolean torn, boolean whole) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%,d turns in %d run(s) were replayed.%n", replay.turns(), replay.runs());
    if (replay.left() > 0) {
      out.printf(
          "%,d turns are left out, since turns before them are missing: they were rotated away,"
              + " could not be written, or are of another version of Muster.%n",
          replay.left());
    }
    if (torn) {
      out.println("The last line was cut off, as by a crash, and is left out.");
    }
    replay
        .difference()
        .ifPresentOrElse(
            each -> tell(out, each),
            () ->
                out.println(
                    whole ? "Every decision is the same." : "Every decision so far is the same."));
    out.flush();
  }

  private static void tell(PrintWriter out, Replay.Difference first) {
    out.printf(
        "%s:%d: the first decision that differs.%nIt happened:  %s%nDecided then: %s%nDecided now: "
            + " %s%n",
        first.file(), first.line(), first.event(), first.journaled(), first.replayed());
    out.println("Maybe the journal is of another version of Muster, or the policies were others.");
  }
}
