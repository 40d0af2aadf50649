package dev.muster.server.kube.start;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns [start switches][StartSwitch] on and off.
///
/// The watch reports a created or deleted switch a moment later. Until then its own calls count. So
/// the starts of all pods of a gang make one call, and a lost notice costs one call more.
public final class SwitchWriter {
  /// Time within which the watch reports what was written here.
  static final Duration SEEN_WITHIN = Duration.ofSeconds(15);

  /// Time after a switch was on in which kube-scheduler may still ask about its pods.
  private static final Duration ASKED_AFTER = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(SwitchWriter.class);
  private static final int CONFLICT = 409;
  private static final int LOCKS = 64;

  private final ApiCalls api;
  private final Supplier<NativeGroups> groups;
  private final InstantSource clock;
  private final LogThrottle throttle = new LogThrottle();
  private final Map<String, Instant> made = new ConcurrentHashMap<>();
  private final Map<String, Removed> removed = new ConcurrentHashMap<>();

  private final Object[] locks = IntStream.range(0, LOCKS).mapToObj(_ -> new Object()).toArray();

  private volatile boolean refused;

  private record Removed(String uid, Instant at) {}

  /// @param groups the native PodGroups as seen now
  /// @param clock the time, for the age of switches
  public SwitchWriter(ApiCalls api, Supplier<NativeGroups> groups, InstantSource clock) {
    this.api = api;
    this.groups = groups;
    this.clock = clock;
  }

  /// Returns how long the switch has been on; empty while it is off.
  public Optional<Duration> onFor(String namespace, String name) {
    String key = key(namespace, name);
    Instant now = clock.instant();
    Optional<Instant> seen =
        seen(key).map(group -> JsonBodies.instant(group.getMetadata().getCreationTimestamp()));
    return seen.or(() ->
            Optional.ofNullable(made.get(key)).filter(at -> now.isBefore(at.plus(SEEN_WITHIN))))
        .map(since -> Duration.between(since, now));
  }

  /// True if the switch is on, or was on a short time ago.
  boolean wasOn(String namespace, String name) {
    String key = key(namespace, name);
    Removed gone = removed.get(key);
    return onFor(namespace, name).isPresent()
        || (gone != null && clock.instant().isBefore(gone.at.plus(ASKED_AFTER)));
  }

  private Optional<GenericKubernetesResource> seen(String key) {
    Removed gone = removed.get(key);
    return groups
        .get()
        .find(key)
        .filter(group -> gone == null || !gone.uid.equals(group.getMetadata().getUid()));
  }

  /// Turns the switch on if it is off. It is deleted with its owner.
  ///
  /// @param owner PodGroup that declares the gang, or the pod if it has no gang
  /// @return the answer; good if the switch was on; 404 if the cluster serves no native PodGroups
  public ApiCalls.Answer on(String namespace, String name, ObjectRef owner) {
    String key = key(namespace, name);
    synchronized (locks[Math.floorMod(key.hashCode(), LOCKS)]) {
      Optional<String> version = groups.get().served();
      if (onFor(namespace, name).isPresent()) {
        return new ApiCalls.Answer(200, "{}");
      }
      if (version.isEmpty()) {
        return new ApiCalls.Answer(404, "The cluster serves no native PodGroups.");
      }
      ApiCalls.Answer answer =
          api.post(path(version.get(), namespace), body(version.get(), owner, name));
      if (answer.isGood() || answer.code() == CONFLICT) {
        Instant now = clock.instant();
        made.values().removeIf(at -> now.isAfter(at.plus(SEEN_WITHIN)));
        made.put(key, now);
        return new ApiCalls.Answer(200, "{}");
      }
      if (answer.isRefusal()) {
        refused = true;
      }
      return answer;
    }
  }

  /// Turns the switch off. kube-scheduler then keeps its unbound pods out of its queue, at the
  /// latest after one more attempt.
  ///
  /// The API server keeps a deleted PodGroup while pods name it, by a finalizer. It would stay on
  /// as long, so the finalizer is removed. Running pods need no PodGroup.
  public void off(GenericKubernetesResource group) {
    String namespace = group.getMetadata().getNamespace();
    String key = key(namespace, group.getMetadata().getName());
    String uid = group.getMetadata().getUid();
    synchronized (locks[Math.floorMod(key.hashCode(), LOCKS)]) {
      Removed before = removed.get(key);
      if (before != null && before.uid.equals(uid)) {
        return; // the watch is late
      }
      ObjectNode options = JsonBodies.object();
      options.putObject("preconditions").put("uid", uid);
      ApiCalls.Answer answer = api.delete(ResourcePaths.of(group), options);
      if (answer.isGood()) {
        ObjectNode patch = JsonBodies.patchOf(uid);
        patch.withObject("/metadata").putNull("finalizers");
        answer = api.patch(ResourcePaths.of(group), ApiCalls.MERGE, patch);
      }
      if (answer.isGood() || answer.isGone()) {
        Instant now = clock.instant();
        removed.values().removeIf(gone -> now.isAfter(gone.at.plus(ASKED_AFTER)));
        removed.put(key, new Removed(uid, now));
        made.remove(key);
      } else if (throttle.isNew(key + answer.problem())) {
        log.warn("The start switch {} was not turned off: {}", key, answer.problem());
      }
    }
  }

  /// True if the API server has refused a switch since the last query.
  boolean wasRefused() {
    boolean was = refused;
    refused = false;
    return was;
  }

  /// Tests if a switch could be written, without writing it.
  ApiCalls.Answer test(String version) {
    return api.post(
        path(version, "default") + "?dryRun=All",
        body(version, StartSwitch.name("test", 0).orElseThrow()));
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }

  private static String path(String version, String namespace) {
    return "/apis/%s/namespaces/%s/%s".formatted(version, namespace, PodGroupDialect.PLURAL);
  }

  private static ObjectNode body(String version, ObjectRef owner, String name) {
    ObjectNode body = body(version, name);
    body.withObject("/metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", owner.apiVersion())
        .put("kind", owner.kind())
        .put("name", owner.name())
        .put("uid", owner.uid());
    return body;
  }

  private static ObjectNode body(String version, String name) {
    ObjectNode body =
        JsonBodies.object().put("apiVersion", version).put("kind", PodGroupDialect.KIND);
    body.putObject("metadata").put("name", name);
    body.withObject("/spec/schedulingPolicy").putObject("basic");
    return body;
  }
}
