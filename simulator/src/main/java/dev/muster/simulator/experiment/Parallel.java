package dev.muster.simulator.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Many runs at once, one on each core. What comes of them does not depend on how many run at once.
public final class Parallel {
  private Parallel() {}

  /// What is done for each.
  ///
  /// @param <A> what it is done for
  /// @param <T> what comes of it
  @FunctionalInterface
  public interface Work<A, T> {
    /// Does it for one.
    T on(A each) throws InterruptedException;
  }

  /// What comes of each, in the order given; all are done, even if one fails.
  ///
  /// @param threads how many are worked on at once
  /// @throws InterruptedException when the thread is interrupted
  public static <A, T> List<T> map(List<A> all, int threads, Work<A, T> work)
      throws InterruptedException {
    List<Future<T>> futures = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (A each : all) {
        futures.add(pool.submit(() -> work.on(each)));
      }
    }
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(result(future));
    }
    return results;
  }

  private static <T> T result(Future<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException failure) {
      throw failure.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failure.getCause());
    }
  }
}
