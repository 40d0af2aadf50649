package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.watch.WatchHealth.Fault;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches all objects of one kind for the lifetime of the process.
///
/// A notice of the [Reflector] is only a hint: the object passed on is the current one in the
/// store. This has three effects:
/// - A late or repeated notice never restores an old state.
/// - An object that was replaced under its name between two notices is seen as it is.
/// - Regular passes over the store find all changes whose notices were lost.
public final class ResourceWatch<T extends HasMetadata> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ResourceWatch.class);

  private static final String UNKNOWN = "";

  /// Time without a watch that is no outage. A watch that ends begins again within some tenths of a
  /// second, from where it ended, and after a failed attempt or two within seconds. An image that
  /// is some seconds old is as good as that of a busy cluster.
  static final Duration MOMENT = Duration.ofSeconds(5);

  private static final Duration ON_ITS_WAY = Duration.ofSeconds(1);

  /// The receiver of objects.
  public interface Sink<T> {
    /// Receives the current object with this key, possibly again without a change.
    void seen(String key, T object);

    /// Receives the notice that there is no object with this key any more.
    void gone(String key);
  }

  private final ItemStore<T> store;
  private final Sink<T> sink;

  /// Version of each object that was passed on.
  private final Map<String, String> told = new HashMap<>();

  private final WatchHealth health;
  private final LogThrottle throttle = new LogThrottle();
  private final StalledWatchDetector stalledWatch = new StalledWatchDetector();
  private volatile ResourceKind<T> kind;
  private volatile Reflector<T> reflector;
  private volatile boolean closed;

  public ResourceWatch(ResourceKind<T> kind, ItemStore<T> store, Sink<T> sink, WatchHealth health) {
    this.kind = kind;
    this.store = store;
    this.sink = sink;
    this.health = health;
    this.reflector = started();
  }

  private Reflector<T> started() {
    Reflector<T> fresh = new Reflector<>(kind, store, this::catchUp, health);
    fresh.start();
    return fresh;
  }

  /// True if all objects of the first list are in the store.
  public boolean isSynced() {
    return reflector.isListed();
  }

  /// True if the role may not read the objects, or the API server does not serve them.
  boolean isRefused() {
    return reflector.isRefused();
  }

  /// True if the role may not list or not watch the objects.
  boolean isForbidden() {
    return reflector.isForbidden();
  }

  /// Returns how long the kind has not been watched: zero while a watch is open. A kind that could
  /// never be listed is not missed: the role may lack access to a newly installed API.
  public Duration blindFor() {
    return reflector.isListed() ? reflector.downFor() : Duration.ZERO;
  }

  /// True if changes may have been missed. This was for longer than a watch needs to begin again,
  /// or no watch has begun since the first list. Called often.
  public boolean isLost() {
    return reflector.isListed()
        && (!reflector.hasBegun() || reflector.downFor().compareTo(MOMENT) > 0);
  }

  /// Lets the watch begin again if its connection is dead: it was silent for long and has missed a
  /// change. Called every few seconds; may take as long as a call.
  public void listen(Instant now) {
    String newest = reflector.version();
    if (closed || !reflector.downFor().isZero() || !stalledWatch.isTooLong(newest, now)) {
      return;
    }
    ResourceKind.Standing standing = kind.standing(newest);
    if (standing != ResourceKind.Standing.UNKNOWN) { // otherwise the next call asks again
      stalledWatch.isExplained(now);
    }
    // A change of just now may still be on its way.
    if (standing == ResourceKind.Standing.BEHIND && Retries.sleep(ON_ITS_WAY)) {
      reopen(newest);
    }
  }

  /// Lets the watch begin again, from where it is.
  public void reopen() {
    reflector.reopen();
  }

  private synchronized void reopen(String version) {
    if (!closed && reflector.version().equals(version)) { // otherwise it was updated meanwhile
      health.failed(kind.name(), Fault.DEAD, "it did not report what had changed");
      reflector.reopen();
    }
  }

  /// Watches the objects at another path from now on, such as another version of their API. Known
  /// objects stay until the new list is complete.
  synchronized void follow(ResourceKind<T> other) {
    reflector.stop();
    kind = other;
    told.replaceAll((_, _) -> UNKNOWN); // a version number may stand for other content there
    reflector = started();
  }

  /// Returns the object with the key, `namespace/name` or `name`.
  public Optional<T> get(String key) {
    return Optional.ofNullable(store.get(key));
  }

  /// Returns all objects.
  public Stream<T> all() {
    return store.values();
  }

  /// Passes on all objects of the store, and the deleted ones.
  public void reconcile() {
    store.keySet().toList().forEach(this::refresh);
    gone().forEach(this::refresh);
  }

  /// Passes on the changes of the store that were not passed on yet.
  public void catchUp() {
    Stream.concat(store.keySet(), gone().stream()).forEach(this::catchUp);
  }

  /// Passes on the object with the key once more.
  public void again(String key) {
    refresh(key);
  }

  /// Passes on these objects once more.
  public void again(Predicate<T> which) {
    keys(which).forEach(this::refresh);
  }

  /// Returns the keys of these objects.
  public List<String> keys(Predicate<T> which) {
    return store.values().filter(which).map(store::getKey).toList();
  }

  private synchronized List<String> gone() {
    return told.keySet().stream().filter(key -> store.get(key) == null).toList();
  }

  /// Passes on the object with the key, unless that was done.
  private synchronized void catchUp(String key) {
    T object = store.get(key);
    if (object == null || !isTold(key, version(object))) {
      refresh(key);
    }
  }

  private boolean isTold(String key, String version) {
    return !version.equals(UNKNOWN) && version.equals(told.get(key));
  }

  private static String version(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getResourceVersion(), UNKNOWN);
  }

  private synchronized void refresh(String key) {
    if (closed) {
      return;
    }
    T object = store.get(key);
    if (object != null) {
      told.put(key, version(object));
      emit(key, () -> sink.seen(key, object));
    } else if (told.remove(key) != null) {
      emit(key, () -> sink.gone(key));
    }
  }

  // One invalid object must not stop the others.
  private void emit(String key, Runnable telling) {
    try {
      telling.run();
    } catch (RuntimeException e) {
      if (throttle.isNew(key + e)) {
        log.error("{}: object {} caused an error and is skipped.", kind.name(), key, e);
      }
    }
  }

  /// Stops watching.
  ///
  /// @param forget true to pass on all known objects as deleted, and to remove them
  synchronized void close(boolean forget) {
    closed = true;
    reflector.stop();
    if (forget) {
      told.keySet().forEach(key -> emit(key, () -> sink.gone(key)));
      store.keySet().toList().forEach(store::remove);
    }
    told.clear();
  }

  @Override
  public void close() {
    close(false);
  }
}
