package dev.muster.simulator.cli.terminal;

import java.io.PrintStream;

/// Shows on one line the number of finished runs among several concurrent ones.
public final class RunCounter {
  private final PrintStream out;
  private final int all;
  private int done;

  public RunCounter(PrintStream out, int all) {
    this.out = out;
    this.all = all;
  }

  /// Counts one more finished run.
  public synchronized void count() {
    done++;
    out.printf("\r%,d of %,d runs ", done, all);
    out.flush();
  }

  /// Ends the line, if anything was shown.
  public synchronized void end() {
    if (done > 0) {
      out.println();
    }
  }
}
