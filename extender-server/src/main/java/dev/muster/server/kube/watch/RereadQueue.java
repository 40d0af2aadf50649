package dev.muster.server.kube.watch;

import dev.muster.server.fair.FairQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Objects to read again, of which at most [#IN_A_SECOND] are read in a second.
///
/// One write of a tenant can concern any number of objects. The first are read at once. The others
/// wait for the next seconds, in turns that are fair to namespaces. An object that waits is read
/// once, whatever comes.
public final class RereadQueue {
  /// Number of objects that are read again in a second. They take some percent of a core.
  static final int IN_A_SECOND = 1_000;

  private final Consumer<String> again;
  private final FairQueue<String> order = new FairQueue<>(ArrayDeque::new, _ -> 1);
  private final Set<String> waiting = new HashSet<>();
  private int allowance = IN_A_SECOND;

  /// @param again reads the object with the key `namespace/name` again, in any thread
  public RereadQueue(Consumer<String> again) {
    this.again = again;
  }

  /// Reads the object again.
  public void add(String key) {
    add(Set.of(key));
  }

  /// Reads these objects again.
  void add(Set<String> keys) {
    synchronized (this) {
      for (String key : keys) {
        if (waiting.add(key)) {
          order.add(key.substring(0, Math.max(0, key.indexOf('/'))), key);
        }
      }
    }
    read();
  }

  /// Reads the next objects. To be called every second.
  public void next() {
    synchronized (this) {
      allowance = IN_A_SECOND;
    }
    read();
  }

  /// Reads all objects that wait at the call, each once and without a limit. Those that are added
  /// meanwhile wait for the next seconds: a tenant could add some again and again.
  public void readAll() {
    List<String> all = new ArrayList<>();
    synchronized (this) {
      for (String key = order.poll(); key != null; key = order.poll()) {
        all.add(key);
      }
      waiting.clear();
      allowance = 0;
    }
    all.forEach(again);
  }

  // Without the lock: others report objects while they hold the lock of their watch.
  private void read() {
    for (String key = taken(); key != null; key = taken()) {
      again.accept(key);
    }
  }

  private synchronized @Nullable String taken() {
    String key = allowance > 0 ? order.poll() : null;
    if (key != null) {
      allowance--;
      waiting.remove(key);
    }
    return key;
  }
}
