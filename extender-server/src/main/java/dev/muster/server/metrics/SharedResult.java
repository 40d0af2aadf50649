package dev.muster.server.metrics;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes one result at a time, for all callers that wait for it.
///
/// A caller gets the first result that is begun after it asked. So it never gets an old one, and
/// the work does not grow with the number of callers.
///
/// @param <T> the result
public final class SharedResult<T> {
  private final Supplier<T> work;
  private final Executor thread;
  private final Set<Caller<T>> waiting = new HashSet<>(); // guarded by this
  private final Set<Caller<T>> served = new HashSet<>(); // guarded by this
  private boolean runs; // guarded by this

  /// One that waits for a result.
  public static final class Caller<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /// Returns its result.
    public CompletableFuture<T> result() {
      return result;
    }
  }

  /// @param work makes a result; one thread at a time calls it
  /// @param thread runs what it gets on another thread
  public SharedResult(Supplier<T> work, Executor thread) {
    this.work = work;
    this.thread = thread;
  }

  /// Adds a caller. It is completed on the other thread.
  public synchronized void add(Caller<T> caller) {
    if (!runs) {
      thread.execute(this::run);
      runs = true;
    }
    waiting.add(caller);
  }

  /// Removes a caller that no longer waits, so that nothing refers to it.
  public synchronized void remove(Caller<T> caller) {
    waiting.remove(caller);
    served.remove(caller);
  }

  private void run() {
    while (hasNext()) {
      @Nullable T result = null;
      @Nullable Throwable failure = null;
      try {
        result = work.get();
      } catch (RuntimeException | Error failed) { // an error must not leave callers waiting
        failure = failed;
      }
      for (Caller<T> caller : taken()) {
        if (failure != null) {
          caller.result.completeExceptionally(failure);
        } else if (result != null) {
          caller.result.complete(result);
        }
      }
    }
  }

  private synchronized boolean hasNext() {
    served.addAll(waiting);
    waiting.clear();
    runs = !served.isEmpty();
    return runs;
  }

  private synchronized List<Caller<T>> taken() {
    List<Caller<T>> taken = List.copyOf(served);
    served.clear();
    return taken;
  }
}
