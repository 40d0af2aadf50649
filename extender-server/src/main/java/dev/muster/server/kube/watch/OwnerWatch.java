package dev.muster.server.kube.watch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.kube.budget.LargeObjects;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.OwnerProblem;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the owners of one kind, or what creates their pods, while the cluster serves them.
public final class OwnerWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OwnerWatch.class);

  /// Most bytes of the answer to a lookup: the metadata of one object. Tenants write them.
  private static final int LOOKUP = 256 << 10;

  /// Time after which scheduling starts, or goes on, although these owners are not watched. A
  /// tenant can make them as many and as large as it likes. Only the pods of unknown owners wait
  /// for them.
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final OwnerKind kind;
  private final ServedKindWatch watch;
  private final InstantSource clock;
  private final Instant late;

  /// What a watch depends on.
  ///
  /// @param client source of the objects
  /// @param served true for a kind `group/version/Kind` that the cluster serves
  /// @param health receiver of the faults of the watch
  /// @param problems receiver of the problems of owners
  /// @param space memory that the owners of all kinds share
  /// @param clock time of the start
  public record Ends(
      KubernetesClient client,
      Predicate<String> served,
      WatchHealth health,
      ObjectProblems problems,
      LargeObjects space,
      InstantSource clock) {}

  private OwnerWatch(
      OwnerKind kind,
      OwnerKind.Api api,
      Supplier<TrimmedStore<GenericKubernetesResource>> store,
      ResourceWatch.Sink<GenericKubernetesResource> sink,
      Ends ends) {
    this.kind = kind;
    this.clock = ends.clock();
    this.late = clock.instant().plus(PATIENCE);
    this.watch =
        new ServedKindWatch(
            new ServedKindWatch.Kind(
                "Owners of the kind " + api.kind(),
                api.versions(),
                version ->
                    ends.served().test(version + "/" + api.kind()) && isServed(kind, ends.served()),
                api::path,
                api.selection(),
                store),
            ends.client(),
            sink,
            ends.health(),
            log);
  }

  private static boolean isServed(OwnerKind kind, Predicate<String> served) {
    return kind.api().versions().stream()
        .anyMatch(version -> served.test(version + "/" + kind.api().kind()));
  }

  /// Creates a watch of the owners of a kind.
  public static OwnerWatch of(OwnerKind kind, OwnerGangs gangs, Ends ends) {
    return new OwnerWatch(
        kind,
        kind.api(),
        () -> TrimmedStore.ofOwners(kind.api().kind(), ends.space()),
        owners(kind, gangs, ends.problems()),
        ends);
  }

  /// Creates a watch of what creates the pods of these owners, if its statuses count.
  public static Optional<OwnerWatch> ofMakers(OwnerKind kind, OwnerGangs gangs, Ends ends) {
    return kind.makers()
        .map(api ->
            new OwnerWatch(
                kind,
                api,
                () -> TrimmedStore.ofMakers(kind.api().kind(), ends.space()),
                new Passing(kind, gangs::maker),
                ends));
  }

  /// Returns the receiver of owners of a kind.
  static ResourceWatch.Sink<GenericKubernetesResource> owners(
      OwnerKind kind, OwnerGangs gangs, ObjectProblems problems) {
    return new Passing(
        kind,
        (_, key, object) -> {
          problems.note("owner/" + kind.api().kind() + "/" + key, object.flatMap(OwnerProblem::of));
          gangs.owner(kind, key, object);
        });
  }

  public OwnerKind kind() {
    return kind;
  }

  /// Looks up the served version and watches it.
  public void check() {
    watch.check();
  }

  /// True if the cluster serves the kind, and all of its objects are known or will be. False if the
  /// role does not permit to list them; their pods then start one by one.
  public boolean isWatched() {
    return watch.isServed() && (watch.isSynced() || !watch.isRefused());
  }

  /// True if the API server knows no such owner, or the role may not list or not watch its kind.
  ///
  /// Without a watch, Muster would never see an owner that a lookup finds. Takes as long as a call,
  /// which needs only the right to list the kind. False if there is no answer, or a long one.
  ///
  /// @param uid uid of the owner; empty for any
  public boolean isAbsent(ApiCalls api, OwnerKey owner, String uid) {
    if (watch.isForbidden()) {
      return true;
    }
    Optional<String> version = watch.served();
    if (version.isEmpty()) {
      return false;
    }
    String path;
    try {
      path = kind.api().path(version.get(), owner.namespace(), owner.name());
    } catch (IllegalArgumentException _) {
      return true; // no object can have this name
    }
    ApiCalls.Answer answer = api.metadata(path, LOOKUP);
    JsonNode list = answer.json();
    boolean isList = answer.isGood() && !list.at("/metadata/resourceVersion").asText().isEmpty();
    return isList
        && list.path("items")
            .valueStream()
            .map(item -> item.at("/metadata/uid").asText())
            .noneMatch(found -> uid.isEmpty() || uid.equals(found));
  }

  /// True if scheduling may start: all objects are known, or it would wait for them too long.
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

  /// True if the watch is down for a short time. An API that is not served is no outage. A longer
  /// time concerns only pods of this kind: known owners keep their gangs, and pods of others wait.
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

  /// A receiver of objects by their keys. An object that is gone is empty.
  private interface Receiver {
    void note(OwnerKind kind, String key, Optional<GenericKubernetesResource> object);
  }

  private record Passing(OwnerKind kind, Receiver to)
      implements ResourceWatch.Sink<GenericKubernetesResource> {
    @Override
    public void seen(String key, GenericKubernetesResource object) {
      to.note(kind, key, Optional.of(object));
    }

    @Override
    public void gone(String key) {
      to.note(kind, key, Optional.empty());
    }
  }
}
