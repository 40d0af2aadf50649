package dev.muster.server.kube.codec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangPast.RunEnd;
import dev.muster.core.state.GangStatus;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Converts the past of a gang to facts on its PodGroup, and back after a restart.
///
/// They go along with writes that happen anyway: an annotation with the record of the reservation,
/// and conditions with the status. Invalid facts are ignored: they only cost what they would save.
public final class GangPastCodec {
  private static final Pattern COUNTS =
      Pattern.compile("(\\d{1,9}) members? succeeded, (\\d{1,9}) failed\\.");

  private static final String EVICTED = "Evicted";

  private GangPastCodec() {}

  /// Returns the past that the PodGroup records; empty if there is none.
  static Optional<GangPast> read(GenericKubernetesResource group, PodGroupDialect dialect) {
    String ranWith = ObjectMetadata.annotations(group).getOrDefault(WellKnownNames.RAN_WITH, "");
    Optional<Integer> minimum =
        ranWith.matches("[1-9][0-9]{0,8}")
            ? Optional.of(Integer.valueOf(ranWith))
            : Optional.empty();
    Optional<Instant> eligible =
        condition(group, WellKnownNames.ELIGIBLE)
            .flatMap(GangPastCodec::transition)
            .filter(at -> !at.isBefore(created(group))); // nobody gains age by an edit
    Optional<RunEnd> end =
        switch (dialect) {
          case SCHEDULER_PLUGINS -> countsOf(group);
          case NATIVE, VOLCANO ->
              condition(group, WellKnownNames.FINISHED).flatMap(GangPastCodec::counts);
        };
    Optional<Instant> evicted =
        condition(group, WellKnownNames.FINISHED)
            .filter(GangPastCodec::isEvicted)
            .flatMap(GangPastCodec::time);
    return Optional.of(new GangPast(minimum, eligible, end, evicted))
        .filter(past -> !past.equals(GangPast.NONE));
  }

  /// Returns the conditions that record the past.
  ///
  /// @param since time of the transition to an end
  public static List<ObjectNode> conditions(
      GangPast past, GangStatus status, GenericKubernetesResource group, Instant since) {
    List<ObjectNode> conditions = new ArrayList<>();
    past.eligibleAt()
        .ifPresent(at ->
            conditions.add(
                condition(WellKnownNames.ELIGIBLE, true, "MembersExist", at)
                    .put("message", "The minimum of its members has existed since then.")));
    if (past.eligibleAt().isEmpty() && shows(group, WellKnownNames.ELIGIBLE)) {
      conditions.add(
          condition(WellKnownNames.ELIGIBLE, false, "MembersLost", since)
              .put("message", "All pods were deleted while the gang waited."));
    }
    Optional<RunEnd> end = past.end().filter(_ -> status.phase() == GangPhase.LEAVING);
    if (end.isPresent()) {
      boolean well = status.minCount() > 0 && end.get().succeeded() >= status.minCount();
      conditions.add(
          condition(WellKnownNames.FINISHED, true, well ? "Succeeded" : "Failed", since)
              .put("message", text(end.get())));
    } else if (past.evictedAt().isPresent()) {
      conditions.add(
          condition(WellKnownNames.FINISHED, false, EVICTED, past.evictedAt().get())
              .put("message", "Members were evicted and are not replaced yet."));
    } else if (shows(group, WellKnownNames.FINISHED)
        || condition(group, WellKnownNames.FINISHED).filter(GangPastCodec::isEvicted).isPresent()) {
      conditions.add(
          condition(WellKnownNames.FINISHED, false, "RunsAgain", since)
              .put("message", "Pods of the next run exist."));
    }
    return conditions;
  }

  private static ObjectNode condition(String type, boolean status, String reason, Instant since) {
    return JsonBodies.condition(type, status, reason)
        .put("lastTransitionTime", JsonBodies.time(since));
  }

  private static String text(RunEnd end) {
    return "%d %s succeeded, %d failed."
        .formatted(end.succeeded(), end.succeeded() == 1 ? "member" : "members", end.failed());
  }

  private static Instant created(GenericKubernetesResource group) {
    return JsonBodies.created(group);
  }

  private static Optional<RunEnd> countsOf(GenericKubernetesResource group) {
    if (!(group.getAdditionalProperties().get("status") instanceof Map<?, ?> status)) {
      return Optional.empty();
    }
    boolean over = "Finished".equals(status.get("phase")) || "Failed".equals(status.get("phase"));
    return over
        ? Optional.of(new RunEnd(count(status.get("succeeded")), count(status.get("failed"))))
        : Optional.empty();
  }

  private static int count(@Nullable Object field) {
    return field instanceof Number number ? Math.max(0, number.intValue()) : 0;
  }

  private static Optional<RunEnd> counts(Map<?, ?> condition) {
    Matcher said = COUNTS.matcher(String.valueOf(condition.get("message")));
    return isTrue(condition) && said.matches()
        ? Optional.of(new RunEnd(Integer.parseInt(said.group(1)), Integer.parseInt(said.group(2))))
        : Optional.empty();
  }

  private static Optional<Instant> transition(Map<?, ?> condition) {
    return isTrue(condition) ? time(condition) : Optional.empty();
  }

  private static boolean isEvicted(Map<?, ?> condition) {
    return !isTrue(condition) && EVICTED.equals(condition.get("reason"));
  }

  private static Optional<Instant> time(Map<?, ?> condition) {
    try {
      return condition.get("lastTransitionTime") instanceof String text
          ? Optional.of(JsonBodies.writable(Instant.parse(text)))
          : Optional.empty();
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  /// True if the condition is true on the object.
  private static boolean shows(GenericKubernetesResource group, String type) {
    return condition(group, type).filter(GangPastCodec::isTrue).isPresent();
  }

  private static boolean isTrue(Map<?, ?> condition) {
    return "True".equals(condition.get("status"));
  }

  private static Optional<Map<?, ?>> condition(GenericKubernetesResource group, String type) {
    if (group.getAdditionalProperties().get("status") instanceof Map<?, ?> status
        && status.get("conditions") instanceof List<?> conditions) {
      for (Object each : conditions) {
        if (each instanceof Map<?, ?> condition && type.equals(condition.get("type"))) {
          return Optional.of(condition);
        }
      }
    }
    return Optional.empty();
  }
}
