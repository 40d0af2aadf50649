package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ApiErrorText;
import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
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
/// A notice of the informer is only a hint: the object passed on is the current one in the store.
/// This has three effects:
/// - A late or repeated notice never restores an old state.
/// - An object that was replaced under its name between two notices is seen as it is.
/// - Regular passes over the store find all changes whose notices were lost.
public final class ResourceWatch<T extends HasMetadata> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ResourceWatch.class);

  private static final String UNKNOWN = "";

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

  private final LogThrottle throttle = new LogThrottle();
  private final StalledWatchDetector stalledWatch = new StalledWatchDetector();
  private volatile ResourceKind<T> kind;
  private volatile SharedIndexInformer<T> informer;
  private volatile boolean followed;
  private volatile boolean closed;

  public ResourceWatch(ResourceKind<T> kind, ItemStore<T> store, Sink<T> sink) {
    this.kind = kind;
    this.store = store;
    this.sink = sink;
    this.informer = started();
  }

  // Without this handler, an error during the first list would stop the informer for good.
  private SharedIndexInformer<T> started() {
    SharedIndexInformer<T> fresh = kind.informer().get();
    fresh.itemStore(store);
    fresh.exceptionHandler((_, problem) -> {
      String said = ApiErrorText.brief(problem);
      if (!closed && throttle.isNew(said)) {
        log.warn(
            "Watching {} failed and is retried: {}. If it persists, the role may lack list and watch.",
            kind.name(),
            said);
      }
      return true;
    });
    fresh.addEventHandler(new Hints());
    Objects.requireNonNull(fresh.start(), "the informer's start");
    return fresh;
  }

  /// True if all objects of the first list are in the store.
  public boolean isSynced() {
    return informer.hasSynced();
  }

  /// True if the kind was watched and is not any more. Called often. A kind that could never be
  /// watched is not lost: the role may lack access to a newly installed API.
  public boolean isLost() {
    boolean watching = informer.isWatching();
    followed |= watching;
    return followed && !watching;
  }

  /// Restarts the informer if its connection is dead: it was silent for long and has missed a
  /// change.
  ///
  /// It is also restarted if it had no watch for that long although the API server answers: the
  /// client may wait indefinitely for a watch to begin. Called every few seconds; may take as long
  /// as a call.
  public void listen(Instant now) {
    String newest = newest();
    if (closed || !informer.hasSynced() || !stalledWatch.isTooLong(newest, now)) {
      return;
    }
    ResourceKind.Standing standing = kind.standing(newest);
    if (standing != ResourceKind.Standing.UNKNOWN) { // otherwise the next call asks again
      stalledWatch.isExplained(now);
      if (standing == ResourceKind.Standing.BEHIND || !informer.isWatching()) {
        startAnew(newest);
      }
    }
  }

  private String newest() {
    return Objects.requireNonNullElse(informer.lastSyncResourceVersion(), "");
  }

  private synchronized void startAnew(String version) {
    if (!closed && newest().equals(version)) { // otherwise it was updated meanwhile
      log.info("Listing {} again: their watch was dead.", kind.name());
      informer.stop();
      informer = started();
    }
  }

  /// Watches the objects at another path from now on, such as another version of their API. Known
  /// objects stay until the new list is complete.
  synchronized void follow(ResourceKind<T> other) {
    informer.stop();
    kind = other;
    told.replaceAll((_, _) -> UNKNOWN); // a version number may stand for other content there
    informer = started();
  }

  /// Returns the object with the key, `namespace/name` or `name`.
  public Optional<T> get(String key) {
    return Optional.ofNullable(store.get(key));
  }

  /// Passes on all objects of the store, and the deleted ones. Restarts an informer that has
  /// stopped.
  public void reconcile() {
    revive();
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
    store.values().filter(which).map(store::getKey).toList().forEach(this::refresh);
  }

  private synchronized void revive() {
    if (!closed && informer.stopped().toCompletableFuture().isDone()) {
      log.warn("The watch of {} had stopped; it is restarted.", kind.name());
      informer = started();
    }
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
  /// @param forget true to pass on all known objects as deleted
  synchronized void close(boolean forget) {
    closed = true;
    informer.stop();
    if (forget) {
      told.keySet().forEach(key -> emit(key, () -> sink.gone(key)));
    }
    told.clear();
  }

  @Override
  public void close() {
    close(false);
  }

  private final class Hints implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      catchUp(store.getKey(object));
    }

    @Override
    public void onUpdate(T before, T after) {
      catchUp(store.getKey(after));
    }

    @Override
    public void onDelete(T object, boolean stateUnknown) {
      catchUp(store.getKey(object));
    }
  }
}
