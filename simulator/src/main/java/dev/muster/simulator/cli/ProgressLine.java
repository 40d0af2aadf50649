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
  /// A line that is wider than a terminal of 80 columns breaks there, and is not written over.
  private static final int WIDEST = 79;

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
    String far =
        String.format(
            Locale.ROOT,
            ": %,d jobs, day %.1f, %,.0f jobs/s%s",
            submitted,
            days,
            submitted / seconds,
            left(seconds));
    line.show(end(fleet, WIDEST - far.length()) + far);
  }

  /// The end of a name that is longer than there is room: of a path it is the end that tells.
  private static String end(String name, int room) {
    int kept = Math.max(0, room - "...".length());
    return name.length() <= room ? name : "..." + name.substring(name.length() - kept);
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
