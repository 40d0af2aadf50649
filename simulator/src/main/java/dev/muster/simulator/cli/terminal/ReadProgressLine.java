package dev.muster.simulator.cli.terminal;

import dev.muster.policy.journal.JournalReader;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// Shows the progress of reading a journal, which takes minutes for 1 GiB.
public final class ReadProgressLine implements Predicate<JournalReader> {
  private final StatusLine line;
  private final BooleanSupplier goesOn;

  /// Creates a line that never stops the reading.
  public ReadProgressLine(PrintStream out) {
    this(out, () -> true, System::nanoTime);
  }

  /// Creates a line with the given clock that can stop the reading.
  ///
  /// @param goesOn false to stop
  public ReadProgressLine(PrintStream out, BooleanSupplier goesOn, LongSupplier nanos) {
    this.line = new StatusLine(out, nanos);
    this.goesOn = goesOn;
  }

  /// Shows the progress.
  ///
  /// @return true to continue reading
  @Override
  public boolean test(JournalReader journal) {
    show(journal);
    return goesOn.getAsBoolean();
  }

  /// Shows the progress.
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
