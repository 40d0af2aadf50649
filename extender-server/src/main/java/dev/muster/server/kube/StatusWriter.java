package dev.muster.server.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.engine.Effect;
import dev.muster.core.engine.GangStatus;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.server.logging.Complaints;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Shows where a gang stands: on its PodGroup, or on the lone pod, and by Events where the reason
/// is new.
final class StatusWriter {
  private static final Logger log = LoggerFactory.getLogger(StatusWriter.class);
  private static final int PODS_TOLD = 16;
  private static final int SPARE = 1_000; // fewer are not worth a sweep

  private final Api api;
  private final EventWriter events;
  private final GangObjects objects;
  private final InstantSource clock;

  /// Also of gangs that are gone, until they are [forgotten][#forget]: nobody is told of their end,
  /// and a notice may outlive its gang.
  private final Map<GangId, Kept> kept = new ConcurrentHashMap<>();

  private final Complaints complaints = new Complaints();

  /// What an object last showed.
  private record Shown(boolean admitted, String reason, Instant since) {}

  /// @param uid the object's: a new one of the same name knows nothing of what the old one showed
  private record Kept(String uid, Shown shown) {}

  /// What to show, and on what.
  ///
  /// @param publish the status
  /// @param members the gang's pods, by rank
  record Notice(Effect.Publish publish, List<Member> members) {
    GangId gang() {
      return publish.gang();
    }

    GangStatus status() {
      return publish.status();
    }

    /// Whether its pods are told too; those that start have better witnesses.
    boolean isForPods() {
      return switch (status().phase()) {
        case GATHERING, PENDING -> true;
        case RESERVED, BOUND, LEAVING, GONE -> false;
      };
    }

    boolean isAdmitted() {
      return switch (status().phase()) {
        case RESERVED, BOUND -> true;
        case GATHERING, PENDING, LEAVING, GONE -> false;
      };
    }
  }

  StatusWriter(Api api, EventWriter events, GangObjects objects, InstantSource clock) {
    this.api = api;
    this.events = events;
    this.objects = objects;
    this.clock = clock;
  }

  /// Shows it; what fails for a reason that passes is told to nobody, and is to be shown again.
  ///
  /// @return whether it stands now, or never can
  boolean write(Notice notice) {
    GangId gang = notice.gang();
    Optional<GenericKubernetesResource> object = objects.find(gang);
    String uid = uid(notice, object);
    Optional<Shown> before =
        Optional.ofNullable(kept.get(gang))
            .filter(old -> old.uid().equals(uid))
            .map(Kept::shown)
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
                .map(group -> onGroup(group, notice, now))
                .orElseGet(() -> onPod(notice, now, before));
        if (stands) {
          kept.put(gang, new Kept(uid, now));
        }
        if (stands && isFresh(now, before)) {
          tell(notice, object);
        }
        yield stands;
      }
    };
  }

  /// Forgets what gangs showed that are not there any more, once they are more than the others.
  ///
  /// @param gangs how many are there
  /// @param isThere whether a gang is one of them
  void forget(int gangs, Predicate<GangId> isThere) {
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
    ObjectNode condition = condition(Names.ADMITTED, notice, now);
    ObjectNode patch = Json.object();
    return switch (Dialect.of(notice.gang()).orElseThrow()) {
      case SCHEDULER_PLUGINS -> {
        ObjectNode status = GroupStatus.of(notice.status());
        boolean starts = new Fields(group).text("status", "scheduleStartTime").isEmpty();
        if (starts && now.admitted()) {
          status.put("scheduleStartTime", Json.time(clock.instant()));
        }
        status.putArray("conditions").add(condition);
        patch.set("status", status);
        yield patch(Paths.status(group), Api.MERGE, patch);
      }
      case NATIVE -> {
        patch.putObject("status").putArray("conditions").add(condition);
        yield patch(Paths.status(group), Api.STRATEGIC, patch);
      }
      case VOLCANO -> true; // its conditions are its own controller's list; Events must do
    };
  }

  // Each patch of an ungated pod has kube-scheduler try it again, so only a new reason is worth
  // one; a gated pod may learn the newest numbers. A bound pod only takes back that it waits.
  private boolean onPod(Notice notice, Shown now, Optional<Shown> before) {
    if (!isLone(notice)) {
      return true;
    }
    boolean fresh = isFresh(now, before);
    boolean held = notice.members().getFirst().state() instanceof MemberState.Held;
    boolean refuted = now.admitted() && before.map(old -> !old.admitted()).orElse(false);
    return !(refuted || (notice.isForPods() && (fresh || held))) || patchPod(notice, now);
  }

  /// Whether the reason is another than what was shown.
  private static boolean isFresh(Shown now, Optional<Shown> before) {
    return before.map(old -> !old.reason().equals(now.reason())).orElse(true);
  }

  private static boolean isLone(Notice notice) {
    return notice.gang().origin() == GangId.Origin.POD && !notice.members().isEmpty();
  }

  private boolean patchPod(Notice notice, Shown now) {
    Member pod = notice.members().getFirst();
    ObjectNode patch = Json.patchOf(pod.id().uid());
    patch
        .putObject("status")
        .putArray("conditions")
        .add(condition(Names.POD_ADMITTED, notice, now));
    return patch(Paths.status(pod.id()), Api.STRATEGIC, patch);
  }

  private static ObjectNode condition(String type, Notice notice, Shown now) {
    return Json.condition(type, now.admitted(), now.reason())
        .put("message", notice.status().message())
        .put("lastTransitionTime", Json.time(now.since()));
  }

  private boolean patch(String path, String contentType, ObjectNode patch) {
    Api.Answer answer = api.patch(path, contentType, patch);
    if (!answer.isGood() && !answer.isGone() && complaints.isNew("" + answer.code())) {
      log.warn("The status at {} could not be written: {}", path, answer.problem());
    }
    return !answer.isPassing();
  }

  private void tell(Notice notice, Optional<GenericKubernetesResource> object) {
    GangStatus status = notice.status();
    boolean warning =
        switch (status.phase()) {
          case PENDING -> true;
          case GATHERING, RESERVED, BOUND, LEAVING, GONE -> false;
        };
    var event = new EventWriter.Notice(warning, status.reason(), status.message());
    object.ifPresent(group -> events.write(ObjectRef.to(group), event));
    notice.members().stream()
        .filter(member -> !member.hasSucceeded())
        .limit(notice.isForPods() ? PODS_TOLD : 0)
        .map(Member::id)
        .map(ObjectRef::to)
        .forEach(pod -> events.write(pod, event));
  }

  /// What an object shows from before our start.
  private static Optional<Shown> shownOn(GenericKubernetesResource group) {
    if (!(group.getAdditionalProperties().get("status") instanceof Map<?, ?> status)
        || !(status.get("conditions") instanceof List<?> conditions)) {
      return Optional.empty();
    }
    return conditions.stream()
        .filter(c -> c instanceof Map<?, ?> map && Names.ADMITTED.equals(map.get("type")))
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
                Json.instant(c.getLastTransitionTime())));
  }

  private static Shown shown(Map<?, ?> condition) {
    Object since = condition.get("lastTransitionTime");
    return new Shown(
        "True".equals(condition.get("status")),
        String.valueOf(condition.get("reason")),
        Json.instant(since instanceof String text ? text : null));
  }
}
