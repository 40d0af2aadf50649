package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ApiErrorText;
import dev.muster.server.kube.client.ApiStream;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.kube.client.ResourceKind.Change;
import dev.muster.server.kube.client.ResourceKind.Item;
import dev.muster.server.kube.client.ResourceKind.Page;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.watch.WatchHealth.Fault;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/// Keeps a store equal to the objects of one kind, as a reflector of client-go does. It lists them,
/// follows their changes, and lists again when the version that it knows is too old.
///
/// One thread does all of this, and reads a change when the one before is passed on. So a watch
/// needs the memory of one object, however much arrives.
final class Reflector<T extends HasMetadata> {
  /// Least time after which the API server ends a watch. The most is twice as long, so that they do
  /// not all end at once.
  private static final Duration WATCHED_FOR = Duration.ofMinutes(5);

  /// Life of a watch from which it counts as working.
  private static final Duration SHORT = Duration.ofSeconds(1);

  /// Short watches without a change after which the objects are listed again. Some proxies end the
  /// watch of an old version in this way.
  private static final int SHORT_WATCHES = 3;

  /// Time before its limit in which the end of a watch is no surprise.
  private static final Duration CLOSE = Duration.ofSeconds(5);

  /// Objects per page after several lists that failed. The API server ends a page after a minute,
  /// and a thousand objects as large as possible take longer.
  private static final int SMALL_PAGE = 100;

  /// Number of such failures after which the role lacks a right. One of several API servers may be
  /// late to know it.
  private static final int FORBIDDEN = 2;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

  private final ResourceKind<T> kind;
  private final ItemStore<T> store;
  private final Consumer<String> changed;
  private final WatchHealth health;
  private final Thread thread;
  private volatile String version = "";
  private volatile boolean listed;
  private volatile boolean begun;
  private volatile boolean refused;

  /// Number of failures for lack of a right, since a page or watch was given.
  private volatile int forbidden;

  private volatile boolean dead;
  private volatile boolean stopped;
  private volatile long downSince = System.nanoTime();
  private volatile Optional<ApiStream> open = Optional.empty();
  private Duration pause = FIRST_PAUSE;
  private int pageSize = ResourceKind.PAGE;
  private int shortWatches;
  private boolean expired = true;

  /// @param changed receiver of the key of each object after it changed in the store
  Reflector(
      ResourceKind<T> kind, ItemStore<T> store, Consumer<String> changed, WatchHealth health) {
    this.kind = kind;
    this.store = store;
    this.changed = changed;
    this.health = health;
    thread = Thread.ofVirtual().name("muster-watch-" + kind.path()).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /// True if all objects were in the store once.
  boolean isListed() {
    return listed;
  }

  /// True if the role may not read the objects, or the API server does not serve them. Other
  /// failures change nothing.
  boolean isRefused() {
    return refused;
  }

  /// True if the role may not list or not watch the objects.
  boolean isForbidden() {
    return forbidden >= FORBIDDEN;
  }

  /// True if a watch has ever begun.
  boolean hasBegun() {
    return begun;
  }

  /// Returns how long no watch has been open; zero while one is.
  Duration downFor() {
    return open.isPresent() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - downSince);
  }

  /// Returns the newest version that was received; empty before the first list.
  String version() {
    return version;
  }

  /// Ends the open watch, whose connection is dead. The next one begins from its version.
  void reopen() {
    dead = true;
    open.ifPresent(ApiStream::close);
  }

  /// Stops. The store belongs to the caller from then on.
  void stop() {
    synchronized (this) {
      stopped = true;
    }
    open.ifPresent(ApiStream::close);
  }

  private void run() {
    while (!stopped) {
      try {
        if (expired) {
          list();
        }
        follow();
      } catch (ResourceKind.Failure failure) {
        expired |= failure.isExpired();
        refused |= failure.isRefusal();
        forbidden = failure.isForbidden() ? forbidden + 1 : forbidden;
        if (failure.isOutdated()) {
          slower();
        } else {
          failed(failure);
        }
      } catch (IOException | RuntimeException | Error e) { // an error event, or no JSON
        expired = true;
        failed(e);
      }
      if (!stopped && !Retries.sleep(pause)) {
        return;
      }
    }
  }

  private void failed(Throwable e) {
    if (!stopped) {
      slower();
      health.failed(kind.name(), Fault.REFUSED, ApiErrorText.brief(e));
    }
  }

  private void slower() {
    Duration twice = pause.multipliedBy(2);
    pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  private void list() throws IOException {
    Set<String> keys = new HashSet<>();
    int size = pageSize;
    pageSize = Math.max(SMALL_PAGE, size / 4); // unless this list succeeds
    Page page = new Page("", "");
    do {
      page = kind.page(page.next(), size, item -> keys.add(put(item)));
      refused = false;
      forbidden = 0;
    } while (!page.next().isEmpty());
    pageSize = Math.min(ResourceKind.PAGE, 2 * size);
    for (String key : store.keySet().toList()) {
      if (!keys.contains(key)) {
        remove(key);
      }
    }
    version = page.version();
    expired = false;
    listed = true;
  }

  /// Stores the object. One that is not readable keeps what is known of it, such as the GPUs that a
  /// pod has.
  private String put(Item<T> item) {
    String key = store.getKey(item.object());
    synchronized (this) {
      if (stopped || !item.isReadable()) {
        return key;
      }
      try {
        store.put(key, item.object());
      } catch (RuntimeException e) {
        var _ = ObjectProblem.sentence(e);
        return key;
      }
    }
    changed.accept(key);
    return key;
  }

  private void remove(String key) {
    synchronized (this) {
      if (stopped) {
        return;
      }
      store.remove(key);
    }
    changed.accept(key);
  }

  /// Follows the changes until the watch ends.
  private void follow() throws IOException {
    Duration limit =
        WATCHED_FOR.plusSeconds(ThreadLocalRandom.current().nextLong(WATCHED_FOR.toSeconds()));
    String before = version;
    long from = System.nanoTime();
    try (ApiStream watch = kind.watch(version, limit)) {
      open = Optional.of(watch);
      begun = true;
      refused = false;
      forbidden = 0;
      dead = false;
      from = System.nanoTime();
      String end = read(watch);
      Duration lived = Duration.ofNanos(System.nanoTime() - from);
      rate(!version.equals(before) || lived.compareTo(SHORT) >= 0);
      if (!stopped && !dead && lived.compareTo(limit.minus(CLOSE)) < 0) {
        health.failed(kind.name(), Fault.ENDED, end);
      }
    } finally {
      if (open.isPresent()) {
        downSince = System.nanoTime();
        open = Optional.empty();
      }
    }
  }

  /// Chooses the pause after a watch that has ended.
  private void rate(boolean worked) {
    shortWatches = worked ? 0 : shortWatches + 1;
    if (worked) {
      pause = FIRST_PAUSE;
    } else {
      slower();
    }
    if (shortWatches == SHORT_WATCHES) {
      shortWatches = 0;
      expired = true;
    }
  }

  /// Reads changes until the watch ends, and returns how it ended.
  private String read(ApiStream watch) throws IOException {
    while (!stopped) {
      Optional<byte[]> line;
      try {
        line = watch.line();
      } catch (IOException e) {
        return "its connection failed";
      }
      if (line.isEmpty()) {
        return "its connection was closed";
      }
      take(ResourceKind.Change.of(line.get()));
    }
    return "it was stopped";
  }

  private void take(Change change) throws IOException {
    Item<T> item =
        switch (change.type()) {
          case "ADDED", "MODIFIED", "DELETED", "BOOKMARK" -> kind.read(change);
          default -> throw change.failure();
        };
    switch (change.type()) {
      case "ADDED", "MODIFIED" -> put(item);
      case "DELETED" -> remove(store.getKey(item.object()));
      default -> {} // a bookmark
    }
    version = Objects.requireNonNullElse(item.object().getMetadata().getResourceVersion(), version);
  }
}
