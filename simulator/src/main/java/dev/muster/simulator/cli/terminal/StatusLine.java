package dev.muster.simulator.cli.terminal;

import java.io.PrintStream;
import java.util.function.LongSupplier;

/// A line of a terminal that is overwritten at most twice a second.
final class StatusLine {
  private static final long EVERY_NANOS = 500_000_000;

  private final PrintStream out;
  private final LongSupplier nanos;
  private long began;
  private long shown;
  private int width;

  StatusLine(PrintStream out, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
    begin();
  }

  /// Starts the clock of the shown activity.
  void begin() {
    began = nanos.getAsLong();
    shown = began;
  }

  /// True if half a second has passed since the last update; the present time then becomes the
  /// last.
  boolean isDue() {
    long now = nanos.getAsLong();
    boolean due = now - shown >= EVERY_NANOS;
    shown = due ? now : shown;
    return due;
  }

  /// Returns the seconds from the start to the last update.
  double seconds() {
    return (shown - began) / 1e9;
  }

  void show(String line) {
    out.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
    out.flush();
    width = line.length();
  }

  /// Clears the line, if anything was shown.
  void end() {
    if (width > 0) {
      show("");
      out.print("\r");
      out.flush();
    }
  }
}
