package dev.muster.simulator.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Runs independent tasks on several threads; results do not depend on the number of threads.
public final class ParallelRuns {
  private ParallelRuns() {}

  /// A task that turns an input into a result.
  ///
  /// @param <A> the input
  /// @param <T> the result
  @FunctionalInterface
  public interface Work<A, T> {
    /// Returns the result of one input.
    T on(A each) throws InterruptedException;
  }

  /// Returns the results of all inputs, in the given order.
  ///
  /// All tasks run to their end, even if one fails. The first failure in this order is then thrown.
  ///
  /// @param threads number of tasks that run at once
  /// @throws InterruptedException if the thread is interrupted
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
