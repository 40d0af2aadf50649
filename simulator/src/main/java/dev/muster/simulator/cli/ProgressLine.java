package dev.muster.simulator.cli;

import dev.muster.simulator.run.Watch;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Shows on one line how far a run is, at most twice a second.
final class ProgressLine implements Watch {
  private static final long EVERY_NANOS = 500_000_000;

  private final PrintStream out;
  private final long jobs;
  private final BooleanSupplier goesOn;
  private final long began = System.nanoTime();
  private long shown = began;

  /// @param jobs how many jobs there are; 0 when nobody knows
  ProgressLine(PrintStream out, long jobs, BooleanSupplier goesOn) {
    this.out = out;
    this.jobs = jobs;
    this.goesOn = goesOn;
  }

  @Override
  public boolean goesOn(int submitted, long millis) {
    long now = System.nanoTime();
    if (now - shown >= EVERY_NANOS) {
      shown = now;
      show(submitted, millis, (now - began) / 1e9);
    }
    return goesOn.getAsBoolean();
  }

  private void show(int submitted, long millis, double seconds) {
    String rest = jobs > submitted ? left(submitted, seconds) : "";
    out.printf(
        "\r%,d jobs, day %.1f, %,.0f jobs/s%s ",
        submitted, millis / (double) Duration.ofDays(1).toMillis(), submitted / seconds, rest);
    out.flush();
  }

  private String left(int submitted, double seconds) {
    double remaining = (jobs - submitted) * seconds / submitted;
    return ", %.0f %%, %.0f s left".formatted(100.0 * submitted / jobs, remaining);
  }

  /// Clears the line, if anything was shown.
  void end() {
    if (shown != began) {
      out.print("\r" + " ".repeat(70) + "\r");
      out.flush();
    }
  }
}
