package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// A pod that names a gang but does not count as its member.
///
/// @param gang the gang
/// @param scheduler its scheduler, if that does not ask Muster; else empty
/// @param mistakes its mistakes with its name, if it is invalid
public record UncountedPod(GangId gang, String scheduler, Optional<String> mistakes) {
  /// The reason of a pod that names a gang, but belongs to a scheduler that does not ask Muster.
  private static final String OTHER_SCHEDULER = "OtherScheduler";

  private static final String VOLCANO = "volcano";
  private static final String PREFIX = "muster.dev/";

  /// Returns the gang that the pod names without counting; empty if it counts or names none.
  ///
  /// @param fact what was read of the pod
  /// @param schedulerNames profiles of kube-scheduler that call Muster
  public static Optional<UncountedPod> of(Pod pod, PodFact fact, Set<String> schedulerNames) {
    return switch (fact) {
      case PodFact.Ours _ -> Optional.empty();
      case PodFact.Unreadable(ObjectProblem problem, _) ->
          named(pod)
              .map(gang ->
                  new UncountedPod(
                      gang, "", Optional.of(problem.object().name() + ": " + problem.message())));
      case PodFact.Unmanaged _, PodFact.Nothing _, PodFact.Stray _ ->
          named(pod)
              .filter(gang -> isForeign(pod, schedulerNames) && !isOfItsController(pod, gang))
              .map(gang -> new UncountedPod(gang, scheduler(pod), Optional.empty()));
    };
  }

  /// Returns the problem of a pod whose owner expects Muster to schedule it, but whose scheduler
  /// does not ask Muster. Its labels, annotations or gate show the intention.
  public static Optional<ObjectProblem> problem(Pod pod, Set<String> schedulerNames) {
    if (!isForeign(pod, schedulerNames)) {
      return Optional.empty();
    }
    Optional<GangId> gang = named(pod).filter(found -> !isOfItsController(pod, found));
    Optional<String> intention =
        gang.map(found -> "names the gang " + found.name()).or(() -> key(pod).map("has "::concat));
    return intention.map(words ->
        new ObjectProblem(
                ObjectRef.to(pod),
                OTHER_SCHEDULER,
                "The pod %s, but belongs to %s, which does not ask Muster. Set its schedulerName to %s."
                    .formatted(
                        words,
                        Mistakes.shown(scheduler(pod)),
                        String.join(" or ", new TreeSet<>(schedulerNames))))
            .among(gang.map(GangId::toString).orElse("")));
  }

  private static boolean isForeign(Pod pod, Set<String> schedulerNames) {
    return !schedulerNames.contains(scheduler(pod))
        && !PodCodec.isOver(pod)
        && pod.getMetadata().getDeletionTimestamp() == null;
  }

  /// True for the pods of Volcano's own users: their gang is not meant for Muster.
  private static boolean isOfItsController(Pod pod, GangId gang) {
    return gang.origin() == Origin.VOLCANO && scheduler(pod).equals(VOLCANO);
  }

  private static String scheduler(Pod pod) {
    return Objects.requireNonNullElse(
        pod.getSpec().getSchedulerName(), WellKnownNames.DEFAULT_SCHEDULER);
  }

  private static Optional<GangId> named(Pod pod) {
    return Optional.of(PodGang.of(pod)).filter(gang -> gang.origin() != Origin.POD);
  }

  private static Optional<String> key(Pod pod) {
    return Stream.of(ObjectMetadata.labels(pod), ObjectMetadata.annotations(pod))
        .flatMap(said -> said.keySet().stream().sorted())
        .filter(key -> key.startsWith(PREFIX))
        .findFirst();
  }
}
