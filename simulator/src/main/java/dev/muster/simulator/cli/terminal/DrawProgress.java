package dev.muster.simulator.cli.terminal;

import dev.muster.simulator.run.RunObserver;
import java.io.PrintStream;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Counts on one line the runs of resampled traces, several of which go on at once.
public final class DrawProgress implements RunObserver {
  private final StatusLine line;
  private final BooleanSupplier goesOn;
  private int begun;

  public DrawProgress(PrintStream out, BooleanSupplier goesOn) {
    this.line = new StatusLine(out, System::nanoTime);
    this.goesOn = goesOn;
  }

  @Override
  public synchronized void begins(String on, Supplier<OptionalDouble> handedOut) {
    begun++;
    if (line.isDue()) {
      line.show("run %d of resampled traces, on %s".formatted(begun, on));
    }
  }

  @Override
  public boolean goesOn(int submitted, long millis) {
    return goesOn.getAsBoolean();
  }

  /// Clears the line, if anything was shown.
  public synchronized void end() {
    line.end();
  }
}
