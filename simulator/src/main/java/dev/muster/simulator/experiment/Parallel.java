package dev.muster.simulator.experiment;

import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/// Many runs at once, one on each core. What comes of them does not depend on how many run at once.
public final class Parallel {
  private Parallel() {}

  /// What is made of each run, in the order of the scenarios; the runs themselves are not kept.
  ///
  /// @param threads how many run at once
  /// @throws InterruptedException when the thread is interrupted
  public static <T> List<T> map(
      List<Scenario> scenarios, int threads, Watch watch, Function<RunResult, T> use)
      throws InterruptedException {
    List<Future<T>> futures = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (Scenario scenario : scenarios) {
        futures.add(pool.submit(() -> use.apply(scenario.run(watch))));
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
