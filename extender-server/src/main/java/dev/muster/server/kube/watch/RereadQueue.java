package dev.muster.server.kube.watch;

import dev.muster.server.fair.FairQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Objects to read again, with a limit of their number and of their time in each second.
///
/// One write of a tenant can concern any number of objects, and some objects take much longer than
/// others. The first are read at once. The others wait for the next seconds, in turns that give
/// namespaces equal time. An object that waits is read once, whatever comes.
public final class RereadQueue {
  /// Number of objects that are read again in a second. They take some percent of a core.
  static final int IN_A_SECOND = 1_000;

  /// Time after which no further object is read in a second. The ticks of the engine wait for it.
  static final long NANOS_IN_A_SECOND = 100_000_000;

  private final Consumer<String> again;
  private final LongSupplier nanos;
  private final FairQueue<String> order = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private final Set<String> waiting = new HashSet<>();
  private int allowance = IN_A_SECOND;
  private long time = NANOS_IN_A_SECOND;
  private boolean isReading;

  /// @param again reads the object with the key `namespace/name` again, in any thread
  public RereadQueue(Consumer<String> again) {
    this(again, System::nanoTime);
  }

  /// @param nanos time in nanoseconds, from any origin
  RereadQueue(Consumer<String> again, LongSupplier nanos) {
    this.again = again;
    this.nanos = nanos;
  }

  /// Reads the object again.
  public void add(String key) {
    add(Set.of(key));
  }

  /// Reads these objects again.
  public void add(Collection<String> keys) {
    await(keys);
    read();
  }

  /// Begins a new second, and reads the next objects unless another thread does. To be called every
  /// second.
  public void next() {
    synchronized (this) {
      allowance = IN_A_SECOND;
      time = NANOS_IN_A_SECOND;
    }
    read();
  }

  /// Reads all objects that wait at the call, each once and without a limit. Those that are added
  /// meanwhile wait for the next seconds: a tenant could add some again and again. After an error,
  /// the rest waits again.
  public void readAll() {
    List<String> all = new ArrayList<>();
    synchronized (this) {
      for (String key = order.poll(); key != null; key = order.poll()) {
        all.add(key);
      }
      waiting.clear();
    }
    int done = 0;
    try {
      while (done < all.size()) {
        again.accept(all.get(done++));
      }
    } catch (RuntimeException | Error e) {
      await(all.subList(done, all.size()));
      throw e;
    }
  }

  private synchronized void await(Collection<String> keys) {
    for (String key : keys) {
      if (waiting.add(key)) {
        order.add(key.substring(0, Math.max(0, key.indexOf('/'))), key);
      }
    }
  }

  // Without the lock: others report objects while they hold the lock of their watch. One thread
  // at a time reads within the limits, and also what others add meanwhile.
  private void read() {
    if (!begins()) {
      return;
    }
    try {
      for (String key = taken(); key != null; key = taken()) {
        long from = nanos.getAsLong();
        try {
          again.accept(key);
        } finally {
          charge(nanos.getAsLong() - from);
        }
      }
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
  }

  private synchronized boolean begins() {
    boolean begins = !isReading;
    isReading = true;
    return begins;
  }

  private synchronized void end() {
    isReading = false;
  }

  /// Takes the next object. If there is none, the thread has ended reading.
  private synchronized @Nullable String taken() {
    String key = allowance > 0 && time > 0 ? order.poll() : null;
    if (key == null) {
      isReading = false;
      return null;
    }
    allowance--;
    waiting.remove(key);
    return key;
  }

  private synchronized void charge(long spent) {
    time -= spent;
    order.charge(spent);
  }
}
