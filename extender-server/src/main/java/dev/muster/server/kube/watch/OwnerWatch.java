package dev.muster.server.kube.watch;

import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.OwnerTrimmer;
import dev.muster.server.kube.owner.kind.OwnerKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the owners of one kind while the cluster serves them.
public final class OwnerWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OwnerWatch.class);

  /// Time after which scheduling starts without these owners. A role of an earlier release does not
  /// permit to list them; their pods then start one by one, as before.
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final OwnerKind kind;
  private final ServedKindWatch watch;
  private final InstantSource clock;
  private final Instant late;

  /// @param served true for a kind `group/version/Kind` that the cluster serves
  public OwnerWatch(
      OwnerKind kind,
      OwnerGangs gangs,
      KubernetesClient client,
      Predicate<String> served,
      WatchHealth health,
      InstantSource clock) {
    this.kind = kind;
    this.clock = clock;
    this.late = clock.instant().plus(PATIENCE);
    OwnerKind.Api api = kind.api();
    this.watch =
        new ServedKindWatch(
            new ServedKindWatch.Kind(
                "Owners of the kind " + api.kind(),
                api.versions(),
                version -> served.test(version + "/" + api.kind()),
                api::path,
                () -> TrimmedStore.of(OwnerTrimmer::trim)),
            client,
            new Owners(kind, gangs),
            health,
            log);
  }

  public OwnerKind kind() {
    return kind;
  }

  /// Looks up the served version and watches it.
  public void check() {
    watch.check();
  }

  /// True if the cluster serves the kind, and all of its objects are known.
  public boolean isListed() {
    return watch.isServed() && watch.isSynced();
  }

  /// True if scheduling may start: all objects are known, or cannot be listed.
  public boolean isReady() {
    return watch.isAsked() && (watch.isSynced() || clock.instant().isAfter(late));
  }

  public boolean isAsked() {
    return watch.isAsked();
  }

  /// Returns how long the owners have not been watched; zero again if it is too long to wait.
  public Duration blindFor() {
    Duration blind = watch.blindFor();
    return blind.compareTo(PATIENCE) < 0 ? blind : Duration.ZERO;
  }

  /// True if the watch is down for a short time. An API that is not served is no outage. A kind
  /// that may no longer be read concerns only its own pods: known owners keep their gangs.
  public boolean isLost() {
    return watch.isLost() && !blindFor().isZero();
  }

  /// Returns the active watch, if any.
  public Stream<ResourceWatch<?>> watched() {
    return watch.watched();
  }

  @Override
  public void close() {
    watch.close();
  }

  private record Owners(OwnerKind kind, OwnerGangs gangs)
      implements ResourceWatch.Sink<GenericKubernetesResource> {
    @Override
    public void seen(String key, GenericKubernetesResource owner) {
      gangs.owner(kind, key, Optional.of(owner));
    }

    @Override
    public void gone(String key) {
      gangs.owner(kind, key, Optional.empty());
    }
  }
}
