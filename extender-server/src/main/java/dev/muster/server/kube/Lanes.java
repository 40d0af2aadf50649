package dev.muster.server.kube;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Work that waits for the network, on virtual threads.
///
/// Goals: work of one lane is done in the order given; lanes do not wait for each other; adding
/// never waits; no more than so many pieces are under way at once.
///
/// Tasks that may run beside each other, and follow each other in a lane, are done at once: a gang
/// of 1,000 pods is not started one pod after the other. A task with a slot replaces the one that
/// still waits in its lane with the same slot.
///
/// @param <K> what tells lanes apart
final class Lanes<K> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Lanes.class);

  private final Map<K, ArrayDeque<Task>> lanes = new HashMap<>();
  private final Semaphore permits;
  private final ThreadFactory threads;
  private boolean closed;

  /// A piece of work.
  ///
  /// @param slot replaces a waiting task of the same slot; empty replaces none
  /// @param beside whether it may run at the same time as its neighbours that may too
  /// @param work what to do; what it throws is logged
  record Task(String slot, boolean beside, Runnable work) {
    static Task inTurn(Runnable work) {
      return new Task("", false, work);
    }

    static Task beside(String slot, Runnable work) {
      return new Task(slot, true, work);
    }

    static Task newest(String slot, Runnable work) {
      return new Task(slot, false, work);
    }
  }

  Lanes(String name, int parallel) {
    permits = new Semaphore(parallel);
    threads = Thread.ofVirtual().name(name + "-", 0).factory();
  }

  /// Adds a task at the end of the lane; dropped once closed.
  void add(K key, Task task) {
    synchronized (lanes) {
      if (closed) {
        return;
      }
      ArrayDeque<Task> lane = lanes.get(key);
      if (lane != null) {
        if (!task.slot().isEmpty()) {
          lane.removeIf(waiting -> waiting.slot().equals(task.slot()));
        }
        lane.addLast(task);
        return;
      }
      lanes.put(key, new ArrayDeque<>(List.of(task)));
    }
    threads.newThread(() -> run(key)).start();
  }

  private void run(K key) {
    for (List<Task> batch = next(key); !batch.isEmpty(); batch = next(key)) {
      if (batch.size() == 1) {
        perform(batch.getFirst());
      } else {
        performAll(batch);
      }
    }
  }

  /// The first task, with all that follow and may run beside it; a lane without tasks is forgotten.
  private List<Task> next(K key) {
    synchronized (lanes) {
      ArrayDeque<Task> lane = Objects.requireNonNull(lanes.get(key));
      List<Task> batch = new ArrayList<>();
      Task task = lane.peekFirst();
      while (task != null && (batch.isEmpty() || (task.beside() && batch.getFirst().beside()))) {
        batch.add(lane.removeFirst());
        task = lane.peekFirst();
      }
      if (batch.isEmpty()) {
        lanes.remove(key);
        lanes.notifyAll();
      }
      return batch;
    }
  }

  private void performAll(List<Task> batch) {
    List<Thread> started = new ArrayList<>();
    for (Task task : batch) {
      Thread thread = threads.newThread(() -> perform(task));
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

  private void perform(Task task) {
    permits.acquireUninterruptibly();
    try {
      task.work().run();
    } catch (RuntimeException | Error e) { // else the lane would wait for its thread for ever
      log.error("An effect failed unexpectedly.", e);
    } finally {
      permits.release();
    }
  }

  /// Lets time pass within a task, in which tasks of other lanes may take its place.
  ///
  /// @return false when interrupted
  boolean rest(Duration time) {
    permits.release();
    try {
      return Retries.sleep(time);
    } finally {
      permits.acquireUninterruptibly();
    }
  }

  /// Whether something waits or is under way.
  boolean isBusy() {
    synchronized (lanes) {
      return !lanes.isEmpty();
    }
  }

  /// Waits until nothing is under way, at most so long; says whether that came true.
  boolean await(Duration atMost) throws InterruptedException {
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

  /// Drops what waits and takes nothing more; what is under way goes on to its end.
  @Override
  public void close() {
    synchronized (lanes) {
      closed = true;
      lanes.values().forEach(ArrayDeque::clear);
    }
  }
}
