package dev.muster.server.kube.start;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.logging.LogThrottle;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns [start switches][StartSwitch] on and off.
///
/// The watch reports a created or deleted switch a moment later. Until then its own calls count. So
/// the starts of all pods of a gang make one call, and a lost notice costs one call more.
public final class SwitchWriter {
  /// Time within which the watch reports what was written here.
  static final Duration SEEN_WITHIN = Duration.ofSeconds(15);

  /// Time after a refused switch in which its namespace counts as one that refuses them.
  private static final Duration REFUSED_FOR = Duration.ofHours(1);

  /// Time after a switch was on in which kube-scheduler may still ask about its pods.
  private static final Duration ASKED_AFTER = Duration.ofMinutes(10);

  private static final Logger log = LoggerFactory.getLogger(SwitchWriter.class);
  private static final int CONFLICT = 409;
  private static final ApiCalls.Answer DONE = new ApiCalls.Answer(200, "{}");

  private final ApiCalls api;
  private final Supplier<NativeGroups> groups;
  private final InstantSource clock;
  private final LogThrottle throttle = new LogThrottle();
  private final Map<String, Instant> made = new ConcurrentHashMap<>();
  private final Map<String, Removed> removed = new ConcurrentHashMap<>();

  /// The calls that are under way or wait, by switch. Switches of different tenants share no lock.
  private final ConcurrentHashMap<String, Turn> turns = new ConcurrentHashMap<>();

  /// Times of the last refusals, by namespace.
  private final Map<String, Instant> refused = new ConcurrentHashMap<>();

  private volatile boolean newlyRefused;

  private record Removed(String uid, Instant at) {}

  /// The lock of one switch.
  private static final class Turn {
    private int users;

    private Turn joined() {
      users++;
      return this;
    }

    private @Nullable Turn left() {
      users--;
      return users == 0 ? null : this;
    }
  }

  /// Does the work when no other call about this switch is under way.
  private ApiCalls.Answer alone(String key, Supplier<ApiCalls.Answer> work) {
    Turn turn = turns.compute(key, (_, now) -> (now == null ? new Turn() : now).joined());
    try {
      synchronized (turn) {
        return work.get();
      }
    } finally {
      turns.computeIfPresent(key, (_, now) -> now.left());
    }
  }

  /// @param groups the native PodGroups as seen now
  /// @param clock the time, for the age of switches
  public SwitchWriter(ApiCalls api, Supplier<NativeGroups> groups, InstantSource clock) {
    this.api = api;
    this.groups = groups;
    this.clock = clock;
  }

  /// Returns how long the switch of this owner has been on; empty while it is off.
  public Optional<Duration> onFor(String namespace, String name, ObjectRef owner) {
    String key = key(namespace, name);
    Optional<Instant> seen = seen(key).filter(on -> on.starts(owner)).map(SeenSwitch::since);
    return seen.or(() -> made(key)).map(since -> Duration.between(since, clock.instant()));
  }

  private Optional<Instant> made(String key) {
    Instant now = clock.instant();
    return Optional.ofNullable(made.get(key)).filter(at -> now.isBefore(at.plus(SEEN_WITHIN)));
  }

  /// True if a PodGroup of this name exists, or existed a short time ago. Then kube-scheduler may
  /// ask about its pods, whoever created it.
  boolean wasOn(String namespace, String name) {
    Removed gone = removed.get(key(namespace, name));
    return exists(namespace, name)
        || (gone != null && clock.instant().isBefore(gone.at.plus(ASKED_AFTER)));
  }

  /// True if a PodGroup of this name exists, whoever created it.
  public boolean exists(String namespace, String name) {
    String key = key(namespace, name);
    return seen(key).isPresent() || made(key).isPresent();
  }

  private Optional<SeenSwitch> seen(String key) {
    Removed gone = removed.get(key);
    return groups.get().find(key).filter(on -> gone == null || !gone.uid.equals(on.object().uid()));
  }

  /// Turns the switch on if it is off. It is deleted with its owner.
  ///
  /// A PodGroup of that name that does not [start][SeenSwitch#starts] these pods is replaced.
  ///
  /// @param owner PodGroup that declares the gang, or the pod if it has no gang
  /// @return the answer; good if the switch was on; 404 if the cluster serves no native PodGroups
  public ApiCalls.Answer on(String namespace, String name, ObjectRef owner) {
    String key = key(namespace, name);
    return alone(key, () -> turnOn(key, namespace, name, owner));
  }

  private ApiCalls.Answer turnOn(String key, String namespace, String name, ObjectRef owner) {
    Optional<String> version = groups.get().served();
    if (onFor(namespace, name, owner).isPresent()) {
      return DONE;
    }
    if (version.isEmpty()) {
      return new ApiCalls.Answer(404, "The cluster serves no native PodGroups.");
    }
    seen(key).ifPresent(on -> turnOff(key, on.object()));
    ApiCalls.Answer answer =
        api.post(path(version.get(), namespace), body(version.get(), owner, name));
    if (answer.isGood() || answer.code() == CONFLICT) {
      Instant now = clock.instant();
      made.values().removeIf(at -> now.isAfter(at.plus(SEEN_WITHIN)));
      made.put(key, now);
      return DONE;
    }
    if (answer.isRefusal()) {
      refused.put(namespace, clock.instant());
      newlyRefused = true;
    }
    return answer;
  }

  /// Turns the switch off. kube-scheduler then keeps its unbound pods out of its queue, at the
  /// latest after one more attempt.
  ///
  /// The API server keeps a deleted PodGroup while pods name it, by a finalizer. It would stay on
  /// as long, so the finalizer is removed. Running pods need no PodGroup.
  public void off(SeenSwitch on) {
    String key = key(on.object().namespace(), on.object().name());
    alone(key, () -> turnOff(key, on.object()));
  }

  private ApiCalls.Answer turnOff(String key, ObjectRef group) {
    String uid = group.uid();
    Removed before = removed.get(key);
    if (before != null && before.uid.equals(uid)) {
      return DONE; // the watch is late
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
    return answer;
  }

  /// True if the API server has refused a switch since the last query.
  boolean wasRefused() {
    boolean was = newlyRefused;
    newlyRefused = false;
    return was;
  }

  /// True if the API server has refused a switch in this namespace within the last hour. A dry run
  /// there may succeed all the same, for example while a quota is not used up.
  boolean isRefusedIn(String namespace) {
    Instant at = refused.get(namespace);
    return at != null && clock.instant().isBefore(at.plus(REFUSED_FOR));
  }

  /// Tests if a switch could be written in this namespace, without writing it.
  ///
  /// @return the answer; good if a PodGroup of the tested name exists, as it is no refusal
  ApiCalls.Answer test(String version, String namespace) {
    ApiCalls.Answer answer =
        api.post(
            path(version, namespace) + "?dryRun=All",
            body(version, StartSwitch.name("test", 0).orElseThrow()));
    return answer.code() == CONFLICT ? new ApiCalls.Answer(200, "{}") : answer;
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }

  private static String path(String version, String namespace) {
    return ResourcePaths.in(version, namespace, PodGroupDialect.PLURAL);
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
