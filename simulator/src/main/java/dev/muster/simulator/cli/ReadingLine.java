package dev.muster.simulator.cli;

import dev.muster.policy.journal.JournalReader;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// Shows on one line how much of a journal is read, at most twice a second: one of 1 GiB takes
/// minutes.
public final class ReadingLine implements Predicate<JournalReader> {
  private static final long EVERY_NANOS = 500_000_000;

  private final PrintStream out;
  private final BooleanSupplier goesOn;
  private final LongSupplier nanos;
  private long shown;
  private int width;

  /// A line that only looks on.
  public ReadingLine(PrintStream out) {
    this(out, () -> true, System::nanoTime);
  }

  /// A line that is asked whether to go on, by this clock.
  ReadingLine(PrintStream out, BooleanSupplier goesOn, LongSupplier nanos) {
    this.out = out;
    this.goesOn = goesOn;
    this.nanos = nanos;
    this.shown = nanos.getAsLong();
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
    long now = nanos.getAsLong();
    if (now - shown >= EVERY_NANOS) {
      shown = now;
      print(
          String.format(
              Locale.ROOT, "%s: %.0f %% of the journal", journal.file(), 100 * journal.share()));
    }
  }

  private void print(String line) {
    out.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
    out.flush();
    width = line.length();
  }

  /// Clears the line, if anything was shown.
  public void end() {
    if (width > 0) {
      print("");
      out.print("\r");
      out.flush();
    }
  }
}
