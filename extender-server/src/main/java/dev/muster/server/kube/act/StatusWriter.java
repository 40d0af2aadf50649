package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.GangStatus;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.JsonFields;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.GangPastCodec;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the status of a gang to its PodGroup or lone pod, and Events when the reason changes.
public final class StatusWriter {
  private static final Logger log = LoggerFactory.getLogger(StatusWriter.class);
  private static final int PODS_TOLD = 16;
  private static final int SPARE = 1_000; // minimum number of old entries that triggers a cleanup

  private final ApiCalls api;
  private final EventWriter events;
  private final GangObjects objects;
  private final InstantSource clock;
  private final MemberConditions conditions;
  private final Runnable pass;

  /// Last status of each gang, including deleted gangs until they are [removed][#forget]. Their end
  /// is not reported here, and a notice may outlive its gang.
  private final Map<GangId, Kept> kept = new ConcurrentHashMap<>();

  private final LogThrottle throttle = new LogThrottle();

  /// The last status shown on an object.
  private record Shown(boolean admitted, String reason, Instant since) {}

  /// @param uid uid of the object: a new object of that name shows nothing yet
  /// @param isOnPods false if the pods got no Event yet, because the gang was growing
  private record Kept(String uid, Shown shown, boolean isOnPods) {}

  /// A status, and the pods that show it.
  ///
  /// @param publish the status
  /// @param members the gang's pods; by rank after [#within]
  /// @param past the gang's past, which a restart reads from its object
  /// @param brief true if the PodGroup alone gets an Event: many gangs have news at once
  /// @param growing true if the pods are not told yet: others are about to follow
  /// @param reported true if the PodGroup gets another Event about this, as an invalid object
  public record Notice(
      Effect.Publish publish,
      List<Member> members,
      GangPast past,
      boolean brief,
      boolean growing,
      boolean reported) {
    public Notice(Effect.Publish publish, List<Member> members, GangPast past, boolean reported) {
      this(publish, members, past, false, false, reported);
    }

    /// Returns the notice with an Event on the PodGroup alone.
    public Notice shortened() {
      return new Notice(publish, members, past, true, growing, reported);
    }

    /// Returns the notice for a gang that grows, or no longer does.
    public Notice growing(boolean grows) {
      return new Notice(publish, members, past, brief, grows, reported);
    }

    /// Returns the notice without pods that have left the gang since, as for a PodGroup that
    /// declares them now. Its status would hide that of their new gang. The pods are sorted here,
    /// in the thread that writes: a gang can have thousands.
    public Notice within(Cluster now) {
      Gang gang = now.gang(publish.gang());
      List<Member> still =
          members.stream()
              .filter(member -> gang.members().contains(member.id()))
              .sorted(Member.BY_RANK)
              .toList();
      return new Notice(publish, still, past, brief, growing, reported);
    }

    GangId gang() {
      return publish.gang();
    }

    GangStatus status() {
      return publish.status();
    }

    /// True if waiting pods get Events and conditions too; pods that start have more precise ones.
    boolean isForPods() {
      return switch (status().phase()) {
        case GATHERING, PENDING -> true;
        case BOUND -> status().waitsInPart() && !told().isEmpty();
        case RESERVED, LEAVING, GONE -> false;
      };
    }

    /// Returns the pods that the status is about. Those that run beside waiting ones need nothing.
    List<Member> told() {
      return status().phase() == GangPhase.BOUND
          ? members.stream().filter(Member::wantsNode).toList()
          : members;
    }

    boolean isAdmitted() {
      return switch (status().phase()) {
        case RESERVED, BOUND -> true;
        case GATHERING, PENDING, LEAVING, GONE -> false;
      };
    }
  }

  /// @param pass called between the calls of one status, which may let other work go first
  public StatusWriter(
      ApiCalls api, EventWriter events, GangObjects objects, InstantSource clock, Runnable pass) {
    this.api = api;
    this.events = events;
    this.objects = objects;
    this.clock = clock;
    this.pass = pass;
    this.conditions = new MemberConditions(api, objects, clock, pass);
  }

  /// Writes the status. A temporary error is not logged, since the write is repeated.
  ///
  /// @return true if it was written or never can be
  public boolean write(Notice notice) {
    GangId gang = notice.gang();
    Optional<GenericKubernetesResource> object = objects.find(gang);
    String uid = uid(notice, object);
    Optional<Kept> last = Optional.ofNullable(kept.get(gang)).filter(old -> old.uid().equals(uid));
    Optional<Shown> before =
        last.map(Kept::shown)
            .or(() -> object.flatMap(StatusWriter::shownOn))
            .or(() -> shownOnPod(notice));
    boolean turned = before.map(old -> old.admitted() != notice.isAdmitted()).orElse(true);
    Instant since = turned ? clock.instant() : before.get().since();
    Shown now = new Shown(notice.isAdmitted(), notice.status().reason(), since);
    return switch (notice.status().phase()) {
      case GONE -> true;
      case GATHERING, PENDING, RESERVED, BOUND, LEAVING -> {
        boolean stands =
            object
                .map(group ->
                    onGroup(group, notice, now) && (notice.growing() || conditions.write(notice)))
                .orElseGet(() -> onPod(notice, now, before));
        boolean fresh = isFresh(now, before);
        boolean isOnPods = !fresh && last.map(Kept::isOnPods).orElse(true);
        boolean waits = notice.growing() && object.isPresent();
        if (stands) {
          kept.put(gang, new Kept(uid, now, isOnPods || !waits));
          boolean withoutPods = isOnPods || waits || (notice.brief() && object.isPresent());
          boolean onGroup = fresh && !notice.reported();
          report(notice, onGroup ? object : Optional.empty(), withoutPods);
        }
        yield stands;
      }
    };
  }

  /// Removes the entries of deleted gangs once they outnumber the others.
  ///
  /// @param gangs number of existing gangs
  /// @param isThere true for an existing gang
  public void forget(int gangs, Predicate<GangId> isThere) {
    if (kept.size() > 2 * gangs + SPARE) {
      kept.keySet().removeIf(isThere.negate());
    }
  }

  private static String uid(Notice notice, Optional<GenericKubernetesResource> object) {
    return object
        .map(group -> group.getMetadata().getUid())
        .orElseGet(() ->
            isLone(notice) ? notice.members().getFirst().id().uid() : notice.gang().toString());
  }

  private boolean onGroup(GenericKubernetesResource group, Notice notice, Shown now) {
    ObjectNode condition = condition(WellKnownNames.ADMITTED, notice, now);
    ObjectNode patch = JsonBodies.patchOf(group.getMetadata().getUid());
    return switch (PodGroupDialect.of(notice.gang()).orElseThrow()) {
      case SCHEDULER_PLUGINS -> {
        ObjectNode status = PodGroupStatusCodec.of(notice.status());
        boolean starts = new JsonFields(group).text("status", "scheduleStartTime").isEmpty();
        if (starts && now.admitted()) {
          status.put("scheduleStartTime", JsonBodies.time(clock.instant()));
        }
        pastConditions(status.putArray("conditions").add(condition), group, notice, now);
        patch.set("status", status);
        yield patch(ResourcePaths.status(group), ApiCalls.MERGE, patch);
      }
      case NATIVE -> {
        pastConditions(
            patch.putObject("status").putArray("conditions").add(condition), group, notice, now);
        yield patch(ResourcePaths.status(group), ApiCalls.STRATEGIC, patch);
      }
      case VOLCANO -> true; // its controller owns the conditions; Events must suffice
    };
  }

  /// Adds what a restart must know of the gang's past.
  private static void pastConditions(
      ArrayNode conditions, GenericKubernetesResource group, Notice notice, Shown now) {
    GangPastCodec.conditions(notice.past(), notice.status(), group, now.since())
        .forEach(conditions::add);
  }

  // Each patch of an ungated pod makes kube-scheduler retry it, so only a new reason is written; a
  // gated pod also gets new numbers. On a bound pod, only the waiting status is withdrawn.
  private boolean onPod(Notice notice, Shown now, Optional<Shown> before) {
    if (!isLone(notice)) {
      return true;
    }
    boolean fresh = isFresh(now, before);
    boolean held = notice.members().getFirst().state() instanceof MemberState.Held;
    boolean refuted = now.admitted() && before.map(old -> !old.admitted()).orElse(false);
    return !(refuted || (notice.isForPods() && (fresh || held))) || patchPod(notice, now);
  }

  /// True if the reason differs from the one shown.
  private static boolean isFresh(Shown now, Optional<Shown> before) {
    return before.map(old -> !old.reason().equals(now.reason())).orElse(true);
  }

  private static boolean isLone(Notice notice) {
    return notice.gang().origin() == GangId.Origin.POD && !notice.members().isEmpty();
  }

  private boolean patchPod(Notice notice, Shown now) {
    Member pod = notice.members().getFirst();
    ObjectNode patch = JsonBodies.patchOf(pod.id().uid());
    patch
        .putObject("status")
        .putArray("conditions")
        .add(condition(WellKnownNames.POD_ADMITTED, notice, now));
    return patch(ResourcePaths.status(pod.id()), ApiCalls.STRATEGIC, patch);
  }

  private static ObjectNode condition(String type, Notice notice, Shown now) {
    return JsonBodies.condition(type, now.admitted(), now.reason())
        .put("message", notice.status().message())
        .put("lastTransitionTime", JsonBodies.time(now.since()));
  }

  private boolean patch(String path, String contentType, ObjectNode patch) {
    ApiCalls.Answer answer = api.patch(path, contentType, patch);
    if (!answer.isGood() && !answer.isGone() && throttle.isNew("" + answer.code())) {
      log.warn("Cannot write the status at {}: {}", path, answer.problem());
    }
    return !answer.isPassing();
  }

  /// Writes Events: on the object if it is given, and on the first pods unless they need none.
  private void report(
      Notice notice, Optional<GenericKubernetesResource> object, boolean withoutPods) {
    GangStatus status = notice.status();
    boolean warning =
        switch (status.phase()) {
          case PENDING -> true;
          case BOUND -> notice.isForPods();
          case GATHERING, RESERVED, LEAVING, GONE -> false;
        };
    var event = new EventWriter.Notice(warning, status.reason(), status.message());
    object.map(ObjectRef::to).ifPresent(group -> report(group, event));
    boolean tells = notice.isForPods() && !withoutPods;
    notice.told().stream()
        .filter(member -> !member.hasSucceeded())
        .limit(tells ? PODS_TOLD : 0)
        .map(Member::id)
        .map(ObjectRef::to)
        .forEach(pod -> report(pod, event));
  }

  private void report(ObjectRef object, EventWriter.Notice event) {
    pass.run();
    events.write(object, event);
  }

  /// Returns the status on an object from before this process started.
  private static Optional<Shown> shownOn(GenericKubernetesResource group) {
    if (!(group.getAdditionalProperties().get("status") instanceof Map<?, ?> status)
        || !(status.get("conditions") instanceof List<?> conditions)) {
      return Optional.empty();
    }
    return conditions.stream()
        .filter(c -> c instanceof Map<?, ?> map && WellKnownNames.ADMITTED.equals(map.get("type")))
        .map(c -> shown((Map<?, ?>) c))
        .findFirst();
  }

  private Optional<Shown> shownOnPod(Notice notice) {
    if (!isLone(notice)) {
      return Optional.empty();
    }
    return objects
        .admitted(notice.members().getFirst().id())
        .map(c ->
            new Shown(
                "True".equals(c.getStatus()),
                String.valueOf(c.getReason()),
                since(c.getLastTransitionTime())));
  }

  private static Shown shown(Map<?, ?> condition) {
    Object since = condition.get("lastTransitionTime");
    return new Shown(
        "True".equals(condition.get("status")),
        String.valueOf(condition.get("reason")),
        since(since instanceof String text ? text : null));
  }

  // The schema of a PodGroup may admit any text here, and anyone may have written it.
  private static Instant since(@Nullable String time) {
    try {
      return JsonBodies.instant("lastTransitionTime", time);
    } catch (IllegalArgumentException _) {
      return Instant.EPOCH;
    }
  }
}
