package dev.muster.simulator.cli;

import dev.muster.simulator.run.Watch;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Shows how far a run is; of several runs, one after the other, the one that goes.
final class ProgressLine implements Watch {
  private final StatusLine line;
  private final BooleanSupplier goesOn;
  private String fleet = "";
  private Supplier<OptionalDouble> share = OptionalDouble::empty;

  ProgressLine(PrintStream out, BooleanSupplier goesOn) {
    this(out, goesOn, System::nanoTime);
  }

  /// The same by another clock.
  ProgressLine(PrintStream out, BooleanSupplier goesOn, LongSupplier nanos) {
    this.line = new StatusLine(out, nanos);
    this.goesOn = goesOn;
  }

  @Override
  public void begins(String on, Supplier<OptionalDouble> handedOut) {
    fleet = on;
    share = handedOut;
    line.begin();
  }

  @Override
  public boolean goesOn(int submitted, long millis) {
    if (line.isDue()) {
      show(submitted, millis, line.seconds());
    }
    return goesOn.getAsBoolean();
  }

  private void show(int submitted, long millis, double seconds) {
    double days = millis / (double) Duration.ofDays(1).toMillis();
    line.show(
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

  /// Clears the line, if anything was shown.
  void end() {
    line.end();
  }
}
