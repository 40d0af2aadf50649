package dev.muster.server.kube.watch;

import dev.muster.server.kube.client.ApiErrorText;
import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.kube.parse.FieldSelection;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;

/// Watches one kind of object while the cluster serves it. Its API may be installed, upgraded or
/// removed at any time.
final class ServedKindWatch implements AutoCloseable {
  /// An optional kind.
  ///
  /// @param name display name of the objects in messages
  /// @param versions API versions that are read, preferred ones first
  /// @param served true for a version that the cluster serves
  /// @param path path of the objects of a version
  /// @param selection fields that are read of each object
  /// @param store creates a store of the objects
  record Kind(
      String name,
      List<String> versions,
      Predicate<String> served,
      UnaryOperator<String> path,
      FieldSelection selection,
      Supplier<TrimmedStore<GenericKubernetesResource>> store) {}

  private final Kind kind;
  private final KubernetesClient client;
  private final ResourceWatch.Sink<GenericKubernetesResource> sink;
  private final WatchHealth health;
  private final Logger log;
  private final LogThrottle throttle = new LogThrottle();
  private volatile Optional<ResourceWatch<GenericKubernetesResource>> watch = Optional.empty();
  private volatile String following = "";
  private volatile int unserved;
  private volatile boolean asked;
  private volatile boolean closed;

  /// @param log receiver of changes of the served version
  ServedKindWatch(
      Kind kind,
      KubernetesClient client,
      ResourceWatch.Sink<GenericKubernetesResource> sink,
      WatchHealth health,
      Logger log) {
    this.kind = kind;
    this.client = client;
    this.sink = sink;
    this.health = health;
    this.log = log;
  }

  /// Looks up the served version and watches it. The API counts as removed only after
  /// [DeviceWatch#GONE] consecutive negative answers. Otherwise all objects would vanish whenever
  /// one of several API servers lags behind.
  void check() {
    try {
      String served = kind.versions().stream().filter(kind.served()).findFirst().orElse("");
      unserved = served.isEmpty() ? unserved + 1 : 0;
      if (unserved == 0 || unserved >= DeviceWatch.GONE || watch.isEmpty()) {
        follow(served);
        asked = true;
      }
    } catch (KubernetesClientException e) {
      if (!closed && throttle.isNew(ApiErrorText.brief(e))) {
        log.warn(
            "Cannot find out if the API server serves {}: {}", kind.name(), ApiErrorText.brief(e));
      }
    }
  }

  private synchronized void follow(String apiVersion) {
    if (closed || (asked && apiVersion.equals(following))) {
      return;
    }
    log.info("{}: {}", kind.name(), apiVersion.isEmpty() ? "not served" : apiVersion);
    if (apiVersion.isEmpty()) {
      watch.ifPresent(before -> before.close(true));
      watch = Optional.empty();
    } else if (watch.isPresent()) {
      watch.get().follow(resources(apiVersion)); // an upgrade removes no object
    } else {
      watch =
          Optional.of(new ResourceWatch<>(resources(apiVersion), kind.store().get(), sink, health));
    }
    following = apiVersion;
  }

  // Untyped on purpose: one malformed object would stop a typed watch for all objects.
  private ResourceKind<GenericKubernetesResource> resources(String apiVersion) {
    return ResourceKind.of(
            kind.name(), client, kind.path().apply(apiVersion), GenericKubernetesResource.class)
        .reading(kind.selection());
  }

  /// True if the cluster serves the kind.
  boolean isServed() {
    return watch.isPresent();
  }

  /// True if the version was looked up and all objects were listed.
  boolean isSynced() {
    return asked && watch.map(ResourceWatch::isSynced).orElse(true);
  }

  /// True if the cluster serves the kind, but its objects may not be read.
  boolean isRefused() {
    return watch.map(ResourceWatch::isRefused).orElse(false);
  }

  /// True if the cluster serves the kind, but the role may not list or not watch its objects.
  boolean isForbidden() {
    return watch.map(ResourceWatch::isForbidden).orElse(false);
  }

  boolean isAsked() {
    return asked;
  }

  /// Returns how long the objects have not been watched.
  Duration blindFor() {
    return unserved == 0 ? watch.map(ResourceWatch::blindFor).orElse(Duration.ZERO) : Duration.ZERO;
  }

  /// True if the watch is down. An API that is not served is no outage.
  boolean isLost() {
    return unserved == 0 && watch.map(ResourceWatch::isLost).orElse(false);
  }

  /// Returns the active watch, if any.
  Stream<ResourceWatch<?>> watched() {
    return watch.<ResourceWatch<?>>map(objects -> objects).stream();
  }

  /// Returns the API version that is watched.
  Optional<String> served() {
    String version = following;
    return watch.isPresent() && !version.isEmpty() ? Optional.of(version) : Optional.empty();
  }

  /// Returns the object with the key.
  Optional<GenericKubernetesResource> find(String key) {
    return watch.flatMap(objects -> objects.get(key));
  }

  /// Passes on the object with the key once more.
  void again(String key) {
    watch.ifPresent(objects -> objects.again(key));
  }

  /// Passes on these objects once more.
  void again(Predicate<GenericKubernetesResource> which) {
    watch.ifPresent(objects -> objects.again(which));
  }

  @Override
  public synchronized void close() {
    closed = true;
    watch.ifPresent(ResourceWatch::close);
  }
}
