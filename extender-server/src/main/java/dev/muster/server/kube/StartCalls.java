package dev.muster.server.kube;

import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.server.kube.act.MemberStart;
import dev.muster.server.kube.act.Nomination;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.start.StartSwitch;
import dev.muster.server.kube.start.SwitchWriter;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Chooses the API calls that a requested start needs.
///
/// Under load this happens long after the request, perhaps for the second time, so the newest state
/// is checked first.
///
/// @param memberStart the calls to choose from
/// @param switches writer of start switches
/// @param objects current PodGroups and pods
/// @param clock the time, for the age of pods
/// @param newest state after the newest step
record StartCalls(
    MemberStart memberStart,
    SwitchWriter switches,
    GangObjects objects,
    InstantSource clock,
    Supplier<State> newest) {
  /// Time within which kube-scheduler asks for a new pod without gate; an older pod is nominated.
  private static final Duration ASKED_WITHIN = Duration.ofSeconds(15);

  /// A start that failed.
  ///
  /// @param refusal HTTP status with which the start switch is refused for good
  record Failure(String problem, Optional<Integer> refusal) {}

  /// Returns the calls, which in turn return the error, if any. Empty if there is nothing to start.
  ///
  /// A withdrawn promise starts no pod. No call is needed for a pod in kube-scheduler's queue: a
  /// nominated pod that was not refused, or a new pod without gate.
  Optional<Function<Effect.StartMember, Optional<Failure>>> of(Effect.StartMember start) {
    if (!isPromised(start)) {
      return Optional.empty();
    }
    Optional<Pod> pod = objects.pod(start.member());
    Optional<String> switchName = pod.flatMap(StartSwitch::of);
    return switch (seen(start)) {
      case MemberState.Bound _, MemberState.Leaving _, MemberState.Ended _ -> Optional.empty();
      case MemberState.Held _ when switchName.isPresent() ->
          Optional.of(s -> turnOn(s, pod.get(), false).or(() -> passing(ungate(s, pod.get()))));
      case MemberState.Held _ ->
          Optional.of(s ->
              passing(isLeftToFilter(s) ? memberStart.ungate(s.member()) : memberStart.perform(s)));
      case MemberState.Waiting(_, boolean refused, _, _) when switchName.isPresent() ->
          Optional.of(s -> turnOn(s, pod.get(), refused));
      case MemberState.Waiting(var nominated, boolean refused, _, _) -> {
        boolean again = nominated.equals(Optional.of(start.node()));
        boolean queued = !refused && (again || (nominated.isEmpty() && isLoneAndNew(start)));
        yield Optional.of(s -> queued ? Optional.empty() : passing(memberStart.wake(s)));
      }
    };
  }

  private static Optional<Failure> passing(Optional<String> problem) {
    return problem.map(said -> new Failure(said, Optional.empty()));
  }

  /// Turns the start switch of the pod on, and wakes the pod where that is not enough.
  ///
  /// It is not enough for a pod that kube-scheduler has refused, and for one that was not bound
  /// within [#ASKED_WITHIN] after that. Nor is it if the cluster serves no native PodGroups any
  /// more; then nothing but the filter keeps the pod.
  private Optional<Failure> turnOn(Effect.StartMember start, Pod pod, boolean refused) {
    String name = StartSwitch.of(pod).orElseThrow();
    ObjectRef owner =
        objects.find(start.gang()).map(ObjectRef::to).orElse(ObjectRef.to(start.member()));
    Optional<Duration> on = switches.onFor(start.member().namespace(), name, owner);
    ApiCalls.Answer answer =
        on.isPresent()
            ? new ApiCalls.Answer(200, "{}")
            : switches.on(start.member().namespace(), name, owner);
    if (!answer.isGood() && !answer.isGone()) {
      return Optional.of(
          new Failure(
              "The start switch could not be turned on: " + answer.problem(), answer.refusal()));
    }
    boolean late = on.filter(since -> since.compareTo(ASKED_WITHIN) >= 0).isPresent();
    return refused || late || answer.isGone() ? passing(memberStart.wake(start)) : Optional.empty();
  }

  /// Removes Muster's gate from a pod that has a start switch too.
  private Optional<String> ungate(Effect.StartMember start, Pod pod) {
    boolean gated =
        pod.getSpec().getSchedulingGates().stream()
            .anyMatch(gate -> WellKnownNames.GATE.equals(gate.getName()));
    return gated ? memberStart.ungate(start.member()) : Optional.empty();
  }

  private boolean isPromised(Effect.StartMember start) {
    Optional<Reservation> held = newest.get().cluster().reservations().get(start.gang());
    return held.isPresent()
        && held.get()
            .promises()
            .get(start.member())
            .map(Promise::node)
            .equals(Optional.of(start.node()));
  }

  private Optional<Member> member(Effect.StartMember start) {
    return newest.get().cluster().gang(start.gang()).members().get(start.member());
  }

  private MemberState seen(Effect.StartMember start) {
    return member(start).map(Member::state).orElse(new MemberState.Held(false));
  }

  /// True if the gated pod needs no nomination, because `/filter` will send it to its node.
  ///
  /// A nomination is needed in these cases:
  /// - The gang has no PodGroup: then only the nomination records the promise.
  /// - kube-scheduler does not call the extender, since the pod requests no GPU resource.
  /// - [Nomination] demands it for the node.
  private boolean isLeftToFilter(Effect.StartMember start) {
    return objects.find(start.gang()).isPresent()
        && member(start).stream().anyMatch(pod -> pod.request().wantsGpu())
        && !objects.claimsGpus(start.member())
        && !Nomination.isNeeded(newest.get().cluster(), start.node());
  }

  /// True if kube-scheduler will soon ask for the pod, so that a nomination adds nothing. A gang's
  /// pod without gate had its chance at the filter before and was not bound in time.
  private boolean isLoneAndNew(Effect.StartMember start) {
    return start.gang().origin() == GangId.Origin.POD
        && member(start).stream()
            .map(pod -> Duration.between(pod.createdAt(), clock.instant()).abs())
            .anyMatch(age -> age.compareTo(ASKED_WITHIN) < 0);
  }
}
