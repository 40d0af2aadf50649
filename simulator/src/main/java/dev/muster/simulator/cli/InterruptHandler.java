package dev.muster.simulator.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Handles Ctrl-C: stops the run, and keeps the JVM alive until the partial result is written.
///
/// The JVM waits for at most 30 s.
final class InterruptHandler implements AutoCloseable, BooleanSupplier {
  private static final long PATIENCE_SECONDS = 30;

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stop, "stop");
  private volatile boolean stopped;

  InterruptHandler() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void stop() {
    stopped = true;
    try {
      if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("muster: timeout while writing the partial result.");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Reports the content of the partial result, if the run was stopped.
  void report(String partial) {
    if (stopped) {
      System.err.println("muster: stopped early: " + partial);
    }
  }

  /// True while the run may continue.
  @Override
  public boolean getAsBoolean() {
    return !stopped;
  }

  @Override
  public void close() {
    done.countDown();
    if (!stopped) {
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }
}
