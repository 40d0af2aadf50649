package dev.muster.simulator.cli;

import dev.muster.simulator.run.Watch;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Shows on one line how far a run is, at most twice a second; of several runs, one after the
/// other, the one that goes.
final class ProgressLine implements Watch {
  private static final long EVERY_NANOS = 500_000_000;

  private final PrintStream out;
  private final BooleanSupplier goesOn;
  private final LongSupplier nanos;
  private String fleet = "";
  private Supplier<OptionalDouble> share = OptionalDouble::empty;
  private long began;
  private long shown;
  private int width;

  ProgressLine(PrintStream out, BooleanSupplier goesOn) {
    this(out, goesOn, System::nanoTime);
  }

  /// The same by another clock.
  ProgressLine(PrintStream out, BooleanSupplier goesOn, LongSupplier nanos) {
    this.out = out;
    this.goesOn = goesOn;
    this.nanos = nanos;
  }

  @Override
  public void begins(String on, Supplier<OptionalDouble> handedOut) {
    fleet = on;
    share = handedOut;
    began = nanos.getAsLong();
    shown = began;
  }

  @Override
  public boolean goesOn(int submitted, long millis) {
    long now = nanos.getAsLong();
    if (now - shown >= EVERY_NANOS) {
      shown = now;
      show(submitted, millis, (now - began) / 1e9);
    }
    return goesOn.getAsBoolean();
  }

  private void show(int submitted, long millis, double seconds) {
    double days = millis / (double) Duration.ofDays(1).toMillis();
    print(
        String.format(
            Locale.ROOT,
            "%s: %,d jobs, day %.1f, %,.0f jobs/s%s",
            fleet,
            submitted,
            days,
            submitted / seconds,
            left(seconds)));
  }

  /// Nothing once all jobs are submitted: how long the last take nobody knows.
  private String left(double seconds) {
    double done = share.get().orElse(0);
    return done > 0 && done < 1
        ? String.format(
            Locale.ROOT,
            ", %.0f %%, %s left",
            100 * done,
            SummaryTable.time(seconds * (1 - done) / done))
        : "";
  }

  private void print(String line) {
    out.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
    out.flush();
    width = line.length();
  }

  /// Clears the line, if anything was shown.
  void end() {
    if (width > 0) {
      print("");
      out.print("\r");
      out.flush();
    }
  }
}
