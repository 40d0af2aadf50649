package dev.muster.server.kube.watch;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.client.ApiErrorText;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.client.ResourceKind;
import dev.muster.server.kube.codec.PodGroupCodec;
import dev.muster.server.kube.codec.UnknownKeys;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the PodGroups of one dialect while the cluster serves them. Their API may be installed,
/// upgraded or removed at any time.
public final class PodGroupWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PodGroupWatch.class);

  /// The inputs and outputs of a watch.
  ///
  /// @param client source of the objects
  /// @param health receiver of the faults of the watch
  /// @param served true for an API version of PodGroups that the cluster serves
  /// @param facts receiver of every gang
  /// @param problems receiver of the problems of invalid PodGroups
  public record Ends(
      KubernetesClient client,
      WatchHealth health,
      Predicate<String> served,
      ChangeFilter facts,
      ObjectProblems problems) {}

  private final Ends ends;
  private final PodGroupCodec codec;
  private final LogThrottle throttle = new LogThrottle();
  private volatile Optional<ResourceWatch<GenericKubernetesResource>> watch = Optional.empty();
  private String following = "";
  private volatile int unserved;
  private volatile boolean asked;
  private volatile boolean closed;

  public PodGroupWatch(Ends ends, PodGroupCodec codec) {
    this.ends = ends;
    this.codec = codec;
  }

  /// Returns the origin of the gangs that these PodGroups declare.
  public GangId.Origin origin() {
    return codec.dialect().origin();
  }

  /// Looks up the served version and watches it. The API counts as removed only after
  /// [DeviceWatch#GONE] consecutive negative answers. Otherwise all gangs would lose their promises
  /// whenever one of several API servers lags behind.
  public void check() {
    try {
      String served =
          codec.dialect().apiVersions().stream().filter(ends.served()).findFirst().orElse("");
      unserved = served.isEmpty() ? unserved + 1 : 0;
      if (unserved == 0 || unserved >= DeviceWatch.GONE || watch.isEmpty()) {
        follow(served);
        asked = true;
      }
    } catch (KubernetesClientException e) {
      if (!closed && throttle.isNew(ApiErrorText.brief(e))) {
        log.warn("Cannot find out if the API server serves {}: {}", what(), ApiErrorText.brief(e));
      }
    }
  }

  private synchronized void follow(String apiVersion) {
    if (closed || (asked && apiVersion.equals(following))) {
      return;
    }
    log.info("{}: {}", what(), apiVersion.isEmpty() ? "not served" : apiVersion);
    if (apiVersion.isEmpty()) {
      watch.ifPresent(before -> before.close(true));
      watch = Optional.empty();
    } else if (watch.isPresent()) {
      watch.get().follow(kind(apiVersion)); // an upgrade removes no gang
    } else {
      watch =
          Optional.of(
              new ResourceWatch<>(
                  kind(apiVersion), TrimmedStore.of(), new Groups(), ends.health()));
    }
    following = apiVersion;
  }

  private String what() {
    return "PodGroups of " + codec.dialect().group();
  }

  // Untyped on purpose: one malformed object would stop a typed watch for all objects.
  private ResourceKind<GenericKubernetesResource> kind(String apiVersion) {
    String path = "/apis/%s/%s".formatted(apiVersion, PodGroupDialect.PLURAL);
    return ResourceKind.of(what(), ends.client(), path, GenericKubernetesResource.class);
  }

  /// True if the version was looked up and all of its PodGroups were listed.
  public boolean isSynced() {
    return asked && watch.map(ResourceWatch::isSynced).orElse(true);
  }

  public boolean isAsked() {
    return asked;
  }

  /// Returns how long the PodGroups have not been watched.
  public Duration blindFor() {
    return unserved == 0 ? watch.map(ResourceWatch::blindFor).orElse(Duration.ZERO) : Duration.ZERO;
  }

  /// True if the watch is down. An API that is not served is no outage.
  public boolean isLost() {
    return unserved == 0 && watch.map(ResourceWatch::isLost).orElse(false);
  }

  /// Returns the active watch, if any.
  public Stream<ResourceWatch<?>> watched() {
    return watch.<ResourceWatch<?>>map(groups -> groups).stream();
  }

  public Optional<GenericKubernetesResource> find(GangId gang) {
    return watch.flatMap(groups -> groups.get(gang.namespace() + "/" + gang.name()));
  }

  @Override
  public synchronized void close() {
    closed = true;
    watch.ifPresent(ResourceWatch::close);
  }

  private final class Groups implements ResourceWatch.Sink<GenericKubernetesResource> {
    /// Uids of the valid PodGroups, by key.
    private final Map<String, String> understood = new ConcurrentHashMap<>();

    @Override
    public void seen(String key, GenericKubernetesResource group) {
      switch (codec.read(group)) {
        case ReadResult.Good<GangSpec>(GangSpec spec) -> {
          String before = understood.put(key, uid(group));
          if (before != null && !before.equals(uid(group))) {
            // It replaced another PodGroup unnoticed, and has none of the annotations of that one.
            ends.facts().noGang(spec.id());
          }
          ends.facts().gang(spec);
          ends.problems().note(problemKey(key), UnknownKeys.stray(group));
        }
        case ReadResult.Bad<GangSpec>(ObjectProblem problem) -> {
          // A PodGroup that was valid keeps its last facts: its pods may be starting, or run under
          // its protection.
          boolean stands = uid(group).equals(understood.get(key));
          ends.facts().invalidGang(codec.id(group), problem.message(), stands);
          ends.problems().note(problemKey(key), Optional.of(problem));
        }
      }
    }

    private static String uid(GenericKubernetesResource group) {
      return Objects.requireNonNullElse(group.getMetadata().getUid(), "");
    }

    @Override
    public void gone(String key) {
      understood.remove(key);
      int slash = key.indexOf('/');
      String namespace = key.substring(0, slash);
      ends.facts()
          .noGang(new GangId(namespace, codec.dialect().origin(), key.substring(slash + 1)));
      ends.problems().note(problemKey(key), Optional.empty());
    }

    private String problemKey(String key) {
      return codec.dialect() + "/" + key;
    }
  }
}
