package dev.muster.server.kube.act;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/// Runs independent calls in parallel, on virtual threads.
final class ParallelCalls {
  /// Calls of one task. Tasks of several gangs run at the same time, and share the calls that one
  /// connection allows.
  private static final int AT_ONCE = 8;

  private ParallelCalls() {}

  /// Returns the results of the call for all items, in their order, once all calls are done.
  static <T, R> List<R> each(List<T> items, Function<T, R> call) {
    Semaphore permits = new Semaphore(AT_ONCE);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<R>> calls =
          items.stream()
              .map(item ->
                  CompletableFuture.supplyAsync(() -> permitted(permits, item, call), threads))
              .toList();
      return calls.stream().map(CompletableFuture::join).toList();
    }
  }

  private static <T, R> R permitted(Semaphore permits, T item, Function<T, R> call) {
    permits.acquireUninterruptibly();
    try {
      return call.apply(item);
    } finally {
      permits.release();
    }
  }
}
