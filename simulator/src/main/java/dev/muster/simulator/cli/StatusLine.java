package dev.muster.simulator.cli;

import java.io.PrintStream;
import java.util.function.LongSupplier;

/// One line of a terminal that is written over, at most twice a second.
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

  /// What it tells of begins now.
  void begin() {
    began = nanos.getAsLong();
    shown = began;
  }

  /// Whether it is time to show more; if so, it is taken that it is shown.
  boolean isDue() {
    long now = nanos.getAsLong();
    boolean due = now - shown >= EVERY_NANOS;
    shown = due ? now : shown;
    return due;
  }

  /// The seconds from the beginning to what is shown.
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
