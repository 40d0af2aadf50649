package dev.muster.simulator.cli;

import dev.muster.policy.journal.JournalReader;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// Shows how much of a journal is read: one of 1 GiB takes minutes.
public final class ReadingLine implements Predicate<JournalReader> {
  private final StatusLine line;
  private final BooleanSupplier goesOn;

  /// A line that only looks on.
  public ReadingLine(PrintStream out) {
    this(out, () -> true, System::nanoTime);
  }

  /// A line that is asked whether to go on, by this clock.
  ReadingLine(PrintStream out, BooleanSupplier goesOn, LongSupplier nanos) {
    this.line = new StatusLine(out, nanos);
    this.goesOn = goesOn;
  }

  /// Shows how far it is.
  ///
  /// @return whether to go on
  @Override
  public boolean test(JournalReader journal) {
    show(journal);
    return goesOn.getAsBoolean();
  }

  /// Shows how far it is.
  public void show(JournalReader journal) {
    if (line.isDue()) {
      line.show(
          String.format(
              Locale.ROOT, "%s: %.0f %% of the journal", journal.file(), 100 * journal.share()));
    }
  }

  /// Clears the line, if anything was shown.
  public void end() {
    line.end();
  }
}
