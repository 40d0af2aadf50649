package dev.muster.simulator.cli.terminal;

import dev.muster.simulator.report.FigureText;
import dev.muster.simulator.run.RunObserver;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Shows the progress of a run, or of the current one of consecutive runs.
public final class ProgressLine implements RunObserver {
  /// The maximum width: a wider line would wrap on a terminal of 80 columns and not be overwritten.
  private static final int WIDEST = 79;

  private final StatusLine line;
  private final BooleanSupplier goesOn;
  private String fleet = "";
  private Supplier<OptionalDouble> share = OptionalDouble::empty;

  public ProgressLine(PrintStream out, BooleanSupplier goesOn) {
    this(out, goesOn, System::nanoTime);
  }

  /// Creates a line with the given clock.
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

  /// Returns the end of a name that is too long, because the end of a path is the informative part.
  private static String end(String name, int room) {
    int kept = Math.max(0, room - "...".length());
    return name.length() <= room ? name : "..." + name.substring(name.length() - kept);
  }

  /// Returns the estimated time left.
  ///
  /// It is empty once all jobs are submitted, because the duration of the last ones is unknown.
  private String left(double seconds) {
    double done = share.get().orElse(0);
    return done > 0 && done < 1
        ? String.format(
            Locale.ROOT,
            ", %.0f %%, %s left",
            100 * done,
            FigureText.time(seconds * (1 - done) / done))
        : "";
  }

  /// Clears the line, if anything was shown.
  public void end() {
    line.end();
  }
}
