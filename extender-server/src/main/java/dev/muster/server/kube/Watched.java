package dev.muster.server.kube;

import dev.muster.server.logging.Complaints;
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

/// All objects of one kind, followed for as long as the process lives.
///
/// A notice of the informer is taken as a hint only: what the store holds under the key at that
/// moment is passed on. So a late or repeated notice never brings back what is past, an object that
/// was replaced by one of the same name between two notices is seen as it is, and going through the
/// store from time to time finds whatever notices were lost.
final class Watched<T extends HasMetadata> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Watched.class);

  private static final String UNKNOWN = "";

  /// Who is told.
  interface Sink<T> {
    /// The object under the key stands like this; told again without any change.
    void seen(String key, T object);

    /// There is no object under the key any more.
    void gone(String key);
  }

  private final ItemStore<T> store;
  private final Sink<T> sink;

  /// The version of each object that was passed on.
  private final Map<String, String> told = new HashMap<>();

  private final Complaints complaints = new Complaints();
  private final Silence silence = new Silence();
  private volatile Kind<T> kind;
  private volatile SharedIndexInformer<T> informer;
  private volatile boolean followed;
  private volatile boolean closed;

  Watched(Kind<T> kind, ItemStore<T> store, Sink<T> sink) {
    this.kind = kind;
    this.store = store;
    this.sink = sink;
    this.informer = started();
  }

  // Without the exception handler a failure during the first list would stop the informer for good.
  private SharedIndexInformer<T> started() {
    SharedIndexInformer<T> fresh = kind.informer().get();
    fresh.itemStore(store);
    fresh.exceptionHandler((_, problem) -> {
      String said = Refusal.brief(problem);
      if (!closed && complaints.isNew(said)) {
        log.warn(
            "Following the {} failed and is tried again: {}. Maybe the API server is away, or our role lacks list and watch.",
            kind.name(),
            said);
      }
      return true;
    });
    fresh.addEventHandler(new Hints());
    Objects.requireNonNull(fresh.start(), "the informer's start");
    return fresh;
  }

  /// Whether all that existed at the start is in the store.
  boolean isSynced() {
    return informer.hasSynced();
  }

  /// Whether changes were being followed and are not any more; asked often. A kind that could never
  /// be followed is not lost: our role may lack what a newly installed API needs.
  boolean isLost() {
    boolean watching = informer.isWatching();
    followed |= watching;
    return followed && !watching;
  }

  /// Starts the informer anew if it has been silent for long and turns out to have missed
  /// something: then its connection is dead. So it is if there is no watch for as long, though the
  /// API server answers: the client waits for ever for a watch to begin. Asked every few seconds;
  /// may take as long as a call.
  void listen(Instant now) {
    String newest = newest();
    if (closed || !informer.hasSynced() || !silence.isTooLong(newest, now)) {
      return;
    }
    Kind.Standing standing = kind.standing(newest);
    if (standing != Kind.Standing.UNKNOWN) { // else it is asked again soon
      silence.isExplained(now);
      if (standing == Kind.Standing.BEHIND || !informer.isWatching()) {
        startAnew(newest);
      }
    }
  }

  private String newest() {
    return Objects.requireNonNullElse(informer.lastSyncResourceVersion(), "");
  }

  private synchronized void startAnew(String version) {
    if (!closed && newest().equals(version)) { // else it was told meanwhile
      log.info("The {} are listed again: their watch was dead without a word.", kind.name());
      informer.stop();
      informer = started();
    }
  }

  /// Follows the same objects somewhere else from now on, as in another version of their API. What
  /// was seen stays until it is known what is there.
  synchronized void follow(Kind<T> other) {
    informer.stop();
    kind = other;
    told.replaceAll((_, _) -> UNKNOWN); // the same version may say something else there
    informer = started();
  }

  /// The object under the key, `namespace/name` or `name`.
  Optional<T> get(String key) {
    return Optional.ofNullable(store.get(key));
  }

  /// Passes on all that the store holds, and what it does not hold any more; starts the informer
  /// again should it have stopped.
  void reconcile() {
    revive();
    store.keySet().toList().forEach(this::refresh);
    gone().forEach(this::refresh);
  }

  /// Passes on what changed in the store and was not passed on yet.
  void catchUp() {
    Stream.concat(store.keySet(), gone().stream()).forEach(this::catchUp);
  }

  /// Passes on once more what is under the key.
  void again(String key) {
    refresh(key);
  }

  /// Passes on these objects once more.
  void again(Predicate<T> which) {
    store.values().filter(which).map(store::getKey).toList().forEach(this::refresh);
  }

  private synchronized void revive() {
    if (!closed && informer.stopped().toCompletableFuture().isDone()) {
      log.warn("Following the {} had stopped and is started again.", kind.name());
      informer = started();
    }
  }

  private synchronized List<String> gone() {
    return told.keySet().stream().filter(key -> store.get(key) == null).toList();
  }

  /// Passes on what is under the key, unless that was done.
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
      tell(key, () -> sink.seen(key, object));
    } else if (told.remove(key) != null) {
      tell(key, () -> sink.gone(key));
    }
  }

  // One object must not blind us to the others.
  private void tell(String key, Runnable telling) {
    try {
      telling.run();
    } catch (RuntimeException e) {
      if (complaints.isNew(key + e)) {
        log.error("Of the {}, {} makes no sense and is passed over.", kind.name(), key, e);
      }
    }
  }

  /// Stops following; what was seen is told as gone when `forget`.
  synchronized void close(boolean forget) {
    closed = true;
    informer.stop();
    if (forget) {
      told.keySet().forEach(key -> tell(key, () -> sink.gone(key)));
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
