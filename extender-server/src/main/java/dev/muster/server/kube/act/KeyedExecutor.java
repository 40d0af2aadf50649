package dev.muster.server.kube.act;

import dev.muster.server.fair.FairSemaphore;
import dev.muster.server.kube.client.Retries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs tasks that wait for the network, on virtual threads, in one lane per key.
///
/// Goals: tasks of one lane run in the given order; lanes do not wait for each other; adding a task
/// never blocks; the number of running tasks is limited, and shared fairly among namespaces.
///
/// Consecutive tasks of a lane that may run side by side run concurrently: the 1,000 pods of a gang
/// are not started one by one. A task with a slot replaces the waiting task of its lane with that
/// slot.
///
/// @param <K> key of a lane
public final class KeyedExecutor<K> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KeyedExecutor.class);

  private final Map<K, Lane> lanes = new HashMap<>();
  private final FairSemaphore permits;
  private final Function<K, String> namespace;

  /// The namespace of the running task.
  private final ScopedValue<String> running = ScopedValue.newInstance();

  private final ThreadFactory threads;
  private boolean closed;

  /// A task.
  ///
  /// @param slot a waiting task with this slot is replaced; empty replaces none
  /// @param beside true if it may run concurrently with neighbours that may too
  /// @param work code to run; its exceptions are logged
  public record Task(String slot, boolean beside, Runnable work) {
    public static Task inTurn(Runnable work) {
      return new Task("", false, work);
    }

    public static Task beside(String slot, Runnable work) {
      return new Task(slot, true, work);
    }

    public static Task newest(String slot, Runnable work) {
      return new Task(slot, false, work);
    }
  }

  /// The waiting tasks of a lane, in order. The key is the slot, or a new number without one.
  private static final class Lane {
    private final LinkedHashMap<Comparable<?>, Task> waiting = new LinkedHashMap<>();
    private long next;

    void add(Task task) {
      Comparable<?> key = task.slot().isEmpty() ? (Comparable<?>) next++ : task.slot();
      waiting.remove(key);
      waiting.put(key, task);
    }

    @Nullable Task first() {
      Map.Entry<Comparable<?>, Task> first = waiting.firstEntry();
      return first == null ? null : first.getValue();
    }
  }

  /// @param parallel number of tasks that run at a time
  /// @param namespace returns the namespace of a lane. The lanes of one run in the order of their
  ///   tasks, use three quarters of the permits at most, and delay a task of another by about one
  ///   task.
  public KeyedExecutor(String name, int parallel, Function<K, String> namespace) {
    this(name, new FairSemaphore(parallel, (3 * parallel + 3) / 4), namespace);
  }

  KeyedExecutor(String name, FairSemaphore permits, Function<K, String> namespace) {
    this.permits = permits;
    this.namespace = namespace;
    threads = Thread.ofVirtual().name(name + "-", 0).factory();
  }

  /// Adds a task at the end of the lane. The task is dropped if this object is closed.
  public void add(K key, Task task) {
    synchronized (lanes) {
      if (closed) {
        return;
      }
      Lane lane = lanes.get(key);
      if (lane != null) {
        lane.add(task);
        return;
      }
      lane = new Lane();
      lane.add(task);
      lanes.put(key, lane);
    }
    threads.newThread(() -> run(key)).start();
  }

  private void run(K key) {
    for (List<Task> batch = next(key); !batch.isEmpty(); batch = next(key)) {
      if (batch.size() == 1) {
        perform(key, batch.getFirst());
      } else {
        performAll(key, batch);
      }
    }
  }

  /// Takes the first task, and all following ones that may run beside it. A lane without tasks is
  /// removed.
  private List<Task> next(K key) {
    synchronized (lanes) {
      Lane lane = Objects.requireNonNull(lanes.get(key));
      List<Task> batch = new ArrayList<>();
      Task task = lane.first();
      while (task != null && (batch.isEmpty() || (task.beside() && batch.getFirst().beside()))) {
        batch.add(task);
        lane.waiting.pollFirstEntry();
        task = lane.first();
      }
      if (batch.isEmpty()) {
        lanes.remove(key);
        lanes.notifyAll();
      }
      return batch;
    }
  }

  private void performAll(K key, List<Task> batch) {
    List<Thread> started = new ArrayList<>();
    for (Task task : batch) {
      Thread thread = threads.newThread(() -> perform(key, task));
      thread.start();
      started.add(thread);
    }
    for (Thread thread : started) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void perform(K key, Task task) {
    String of = namespace.apply(key);
    permits.acquireUninterruptibly(of);
    try {
      ScopedValue.where(running, of).run(task.work());
    } catch (RuntimeException | Error e) { // otherwise the lane would be blocked for good
      log.error("Unexpected error while performing an effect.", e);
    } finally {
      permits.release(of);
    }
  }

  /// Sleeps within a task of this object and lets tasks of other lanes run meanwhile.
  ///
  /// @return false if interrupted
  public boolean rest(Duration time) {
    String of = running.orElse("");
    permits.release(of);
    try {
      return Retries.sleep(time);
    } finally {
      permits.acquireUninterruptibly(of);
    }
  }

  /// True if a task waits or runs.
  public boolean isBusy() {
    synchronized (lanes) {
      return !lanes.isEmpty();
    }
  }

  /// Waits until no task is left, at most for the given time.
  ///
  /// @return true if no task is left
  public boolean await(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    synchronized (lanes) {
      for (long left = end - System.nanoTime();
          !lanes.isEmpty() && left > 0;
          left = end - System.nanoTime()) {
        lanes.wait(Math.max(1, left / 1_000_000));
      }
      return lanes.isEmpty();
    }
  }

  /// Drops waiting tasks and accepts no more; running tasks continue to their end.
  @Override
  public void close() {
    synchronized (lanes) {
      closed = true;
      lanes.values().forEach(lane -> lane.waiting.clear());
    }
  }
}
