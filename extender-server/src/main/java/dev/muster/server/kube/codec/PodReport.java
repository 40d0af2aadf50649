package dev.muster.server.kube.codec;

import dev.muster.core.gang.MemberReport;
import dev.muster.policy.file.Durations;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads what a pod reports: its annotations, its end, and since when it is marked for eviction.
final class PodReport {
  private PodReport() {}

  /// Returns the pod's report. Invalid values are ignored: the work counts as not saved.
  static MemberReport of(Pod pod) {
    Map<String, String> said = ObjectMetadata.annotations(pod);
    return new MemberReport(
        instant(said.getOrDefault(WellKnownNames.CHECKPOINTED_AT, "")),
        instant(said.getOrDefault(WellKnownNames.PREEMPTION_ACKNOWLEDGED, "")),
        PodStart.evictedAt(pod),
        chargedQueue(said.getOrDefault(WellKnownNames.CHARGED_QUEUE, "")));
  }

  /// Returns the recorded queue; empty if no queue can have that name.
  private static Optional<String> chargedQueue(String name) {
    return Optional.of(name).filter(GangConstraintsCodec::isQueue);
  }

  /// Returns the problem of the first invalid time in the annotations.
  static Optional<ObjectProblem> problem(Pod pod) {
    return Stream.of(WellKnownNames.CHECKPOINTED_AT, WellKnownNames.PREEMPTION_ACKNOWLEDGED)
        .filter(key -> !ObjectMetadata.annotations(pod).getOrDefault(key, "").isBlank())
        .filter(key -> instant(ObjectMetadata.annotations(pod).getOrDefault(key, "")).isEmpty())
        .map(key ->
            "The annotation %s is (%s) and is ignored; it must be a time with its zone, such as 2026-11-01T12:00:00Z."
                .formatted(
                    key, Mistakes.shown(ObjectMetadata.annotations(pod).getOrDefault(key, ""))))
        .map(words -> new ObjectProblem(ObjectRef.to(pod), ObjectProblem.INVALID, words))
        .findFirst();
  }

  /// True if the pod ended after its deletion was requested.
  static boolean wasStopped(Pod pod) {
    Long grace = pod.getMetadata().getDeletionGracePeriodSeconds();
    long seconds = grace == null ? 0 : Math.clamp(grace, 0, Durations.LONGEST.toSeconds());
    Instant requested = JsonBodies.deleted(pod).minusSeconds(seconds);
    return PodCodec.endOf(pod).filter(end -> !end.isBefore(requested)).isPresent();
  }

  /// Returns the time at which `Ready` became false, which the kubelet sets at the end of a pod.
  /// For a pod that was never ready, this is the time of its start.
  static Optional<Instant> readyUntil(Pod pod) {
    return PodCodec.status(pod).getConditions().stream()
        .filter(condition -> "Ready".equals(condition.getType()))
        .filter(condition -> condition.getLastTransitionTime() != null)
        .findFirst()
        .map(PodStart::since);
  }

  /// Parses an instant written by users or programs; empty if it is invalid.
  static Optional<Instant> instant(String text) {
    try {
      return text.isBlank()
          ? Optional.empty()
          : Optional.of(JsonBodies.writable(OffsetDateTime.parse(text.strip()).toInstant()));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }
}
