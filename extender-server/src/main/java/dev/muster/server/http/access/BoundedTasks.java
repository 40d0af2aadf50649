package dev.muster.server.http.access;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs any number of tasks on few threads, in their order.
///
/// @param threads executor that starts the threads
/// @param most number of threads for the tasks of one call
/// @param limit time limit of one call
record BoundedTasks(Executor threads, int most, Duration limit) {
  /// Returns the results of all tasks, in their order. When one fails, the others end.
  ///
  /// @throws TimeoutException if they take longer; then all end
  <T> List<T> results(List<Callable<T>> tasks) throws InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + limit.toNanos();
    List<FutureTask<T>> all = tasks.stream().map(FutureTask::new).toList();
    AtomicInteger next = new AtomicInteger();
    for (int i = 0; i < Math.min(most, all.size()); i++) {
      threads.execute(() -> work(all, next));
    }
    List<T> results = new ArrayList<>(all.size());
    try {
      for (FutureTask<T> task : all) {
        results.add(task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
      }
      return results;
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof InterruptedException interrupted) {
        throw interrupted;
      }
      throw failed.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failed.getCause());
    } finally {
      next.set(all.size());
      all.forEach(task -> task.cancel(true));
    }
  }

  private static <T> void work(List<FutureTask<T>> tasks, AtomicInteger next) {
    for (int i = next.getAndIncrement(); i < tasks.size(); i = next.getAndIncrement()) {
      tasks.get(i).run();
    }
  }
}
