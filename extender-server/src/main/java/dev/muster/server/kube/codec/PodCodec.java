package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.dra.ClassRequests;
import dev.muster.server.kube.start.StartSwitch;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reads a pod as managed, unmanaged with a share of a node, or irrelevant, with or without
/// Muster's gate.
///
/// A managed pod has one of the scheduler names and requests an accelerator or names a gang.
///
/// @param accelerators resource names that count as GPUs
/// @param schedulerNames profiles of kube-scheduler that call Muster
/// @param claims GPUs that a pod requests by resource claims
/// @param mayTakeGpus true if a pod may take GPUs by claims, also if their number is unknown
/// @param owners the gang that the owner of a pod has, for pods that name none
/// @param stays the gang in which a pod stays, although it names this other one now
public record PodCodec(
    List<String> accelerators,
    Set<String> schedulerNames,
    Function<Pod, ReadResult<Resources>> claims,
    Predicate<Pod> mayTakeGpus,
    Function<Pod, Optional<GangId>> owners,
    BiFunction<Pod, GangId, Optional<GangId>> stays) {
  /// Label on the pods of a JobSet. Its Jobs create them.
  private static final String JOB_SET = "jobset.sigs.k8s.io/jobset-name";

  /// Label with the uid of the JobSet. A JobSet may be created again under its name.
  private static final String JOB_SET_UID = "jobset.sigs.k8s.io/jobset-uid";

  /// Label with the number of restarts. A JobSet that restarts creates all of its Jobs again under
  /// the next number.
  private static final String RESTARTS = "jobset.sigs.k8s.io/restart-attempt";

  public PodCodec {
    accelerators = List.copyOf(accelerators);
    schedulerNames = Set.copyOf(schedulerNames);
  }

  /// Creates a codec for pods whose owners have no gangs.
  public PodCodec(
      List<String> accelerators,
      Set<String> schedulerNames,
      Function<Pod, ReadResult<Resources>> claims) {
    this(accelerators, schedulerNames, claims, _ -> false, _ -> Optional.empty());
  }

  /// Creates a codec for pods that follow what they name.
  public PodCodec(
      List<String> accelerators,
      Set<String> schedulerNames,
      Function<Pod, ReadResult<Resources>> claims,
      Predicate<Pod> mayTakeGpus,
      Function<Pod, Optional<GangId>> owners) {
    this(accelerators, schedulerNames, claims, mayTakeGpus, owners, (_, _) -> Optional.empty());
  }

  /// Returns the gang of the pod. It is the one in which it stays, else the first PodGroup that it
  /// names, else that of its owner, else the pod alone.
  private GangId gang(Pod pod) {
    GangId named = PodGang.of(pod);
    GangId next = named.origin() == Origin.POD ? owners.apply(pod).orElse(named) : named;
    return stays.apply(pod, next).orElse(next);
  }

  /// True if the pod is in the gang of its owner, if there is one. This holds if Muster schedules
  /// it and it names no PodGroup.
  public boolean mayJoinOwner(Pod pod) {
    return schedulerNames.contains(text(pod.getSpec().getSchedulerName()))
        && PodGang.of(pod).origin() == Origin.POD;
  }

  public PodFact read(Pod pod) {
    return switch (ReadResult.of(pod, () -> affordable(pod))) {
      case ReadResult.Good<PodFact>(PodFact fact) -> fact;
      case ReadResult.Bad<PodFact>(ObjectProblem problem) -> unreadable(pod, problem);
    };
  }

  /// Returns the fact about an invalid pod. Its phase alone shows that it has ended.
  private static PodFact unreadable(Pod pod, ObjectProblem problem) {
    boolean succeeded = "Succeeded".equals(status(pod).getPhase());
    MemberState end =
        pod.getMetadata().getDeletionTimestamp() == null
            ? new MemberState.Ended(succeeded)
            : MemberState.Leaving.ended();
    return new PodFact.Unreadable(problem, isOver(pod) ? Optional.of(end) : Optional.empty());
  }

  private PodFact affordable(Pod pod) {
    if (PodStart.isUnaccepted(pod)) {
      return new PodFact.Nothing();
    }
    Optional<String> excess = ObjectBudget.excess(pod);
    return excess.isEmpty() ? fact(pod) : excessive(pod, excess.get());
  }

  /// Returns the fact about a pod beyond the [ObjectBudget]. While it has no node, it is invalid.
  /// On a node it counts with its resources, and nothing else of it is evaluated. Not all of its
  /// claims may be known, so one without a node that has claims is held.
  private PodFact excessive(Pod pod, String excess) {
    var problem = new ObjectProblem(ObjectRef.to(pod), ObjectProblem.INVALID, excess);
    Resources requests = counted(PodRequests.of(pod));
    Resources held =
        Quantities.cut(
            claims.apply(pod) instanceof ReadResult.Good<Resources>(Resources claimed)
                ? requests.plus(counted(claimed))
                : requests);
    if (node(pod.getSpec().getNodeName()).isEmpty()
        && (isOurs(pod, held) || (isStray(pod) && ClassRequests.mayClaim(pod)))) {
      return unreadable(pod, problem);
    }
    if (!isOurs(pod, held)) {
      return fact(pod, held);
    }
    int gpus = Quantities.podGpus(held, accelerators);
    Request request = new Request(held, gpus, 0, NodeSelection.ANY, false);
    Member member = member(pod, gang(pod), request, GangConstraints.NONE);
    return new PodFact.Ours(member, Optional.empty(), Optional.of(problem), stint(pod));
  }

  /// Returns the amounts of the usual resources: accelerators, CPU, memory and the pod slot.
  private Resources counted(Resources all) {
    SortedMap<String, Long> amounts = all.asMap();
    amounts
        .keySet()
        .removeIf(name -> !accelerators.contains(name) && !PodRequests.USUAL.contains(name));
    return Resources.of(amounts);
  }

  private PodFact fact(Pod pod) {
    Resources requests = PodRequests.of(pod);
    return switch (claims.apply(pod)) {
      case ReadResult.Good<Resources>(Resources claimed) -> fact(pod, requests.plus(claimed));
      case ReadResult.Bad<Resources>(ObjectProblem problem) ->
          node(pod.getSpec().getNodeName()).isEmpty()
                  && (isOurs(pod, requests) || (isStray(pod) && mayTakeGpus.test(pod)))
              ? unreadable(pod, problem)
              : fact(pod, requests);
    };
  }

  private boolean isOurs(Pod pod, Resources takes) {
    return schedulerNames.contains(text(pod.getSpec().getSchedulerName()))
        && (Quantities.count(takes, accelerators) > 0 || gang(pod).origin() != Origin.POD);
  }

  private PodFact fact(Pod pod, Resources all) {
    Resources resources = Quantities.cut(all);
    int gpus = Quantities.podGpus(resources, accelerators);
    if (isOurs(pod, resources)) {
      if (gpus > Quantities.NODE_GPUS && node(pod.getSpec().getNodeName()).isEmpty()) {
        return unreadable(pod, tooLarge(pod, Quantities.count(resources, accelerators)));
      }
      Request request =
          new Request(
              resources,
              gpus,
              0,
              PodSelection.of(pod.getSpec()),
              PodSelection.wantsNodeOfItsOwn(pod));
      return ours(pod, gang(pod), request);
    }
    Optional<NodeId> node = node(pod.getSpec().getNodeName());
    if (node.isPresent() && !isOver(pod)) {
      return new PodFact.Unmanaged(id(pod), node.get(), resources, gpus);
    }
    return isStray(pod) ? new PodFact.Stray(id(pod)) : new PodFact.Nothing();
  }

  private static ObjectProblem tooLarge(Pod pod, long gpus) {
    return new ObjectProblem(
        ObjectRef.to(pod),
        ObjectProblem.INVALID,
        "The pod requests %d GPUs; the limit is %d.".formatted(gpus, Quantities.NODE_GPUS));
  }

  /// True if a pod that is not managed has Muster's gate or a start switch. Pods of other
  /// schedulers are left alone even if they have one.
  private boolean isStray(Pod pod) {
    return schedulerNames.contains(text(pod.getSpec().getSchedulerName()))
        && (pod.getSpec().getSchedulingGates().stream()
                .anyMatch(gate -> WellKnownNames.GATE.equals(gate.getName()))
            || (StartSwitch.of(pod).isPresent() && !isOver(pod)));
  }

  private PodFact ours(Pod pod, GangId gang, Request request) {
    return switch (ReadResult.of(pod, () -> PodGang.constraints(pod))) {
      case ReadResult.Good<GangConstraints>(GangConstraints constraints) ->
          ours(pod, member(pod, gang, request, constraints));
      case ReadResult.Bad<GangConstraints>(ObjectProblem problem) -> {
        Member member = member(pod, gang, request, GangConstraints.NONE);
        yield member.wantsNode() && gang.origin() != Origin.POD
            ? unreadable(pod, problem) // its gang would start without its constraints
            : new PodFact.Ours(member, Optional.empty(), Optional.of(problem), stint(pod));
      }
    };
  }

  private static PodFact ours(Pod pod, Member member) {
    Optional<ObjectProblem> unsaid = PodReport.problem(pod).or(() -> UnknownKeys.stray(pod));
    if (!PodGang.isStatedBy(pod, member.gang())) {
      return new PodFact.Ours(member, Optional.empty(), unsaid, stint(pod));
    }
    return switch (ReadResult.of(pod, () -> PodGang.stated(pod, member))) {
      case ReadResult.Good<GangSpec>(GangSpec spec) ->
          new PodFact.Ours(member, Optional.of(spec), unsaid, stint(pod));
      case ReadResult.Bad<GangSpec>(ObjectProblem problem) ->
          new PodFact.Ours(member, Optional.empty(), Optional.of(problem), stint(pod));
    };
  }

  /// Returns the part of the pod in a run of its gang.
  public static PodFact.Stint stint(Pod pod) {
    Map<String, String> labels = ObjectMetadata.labels(pod);
    String jobSet = labels.getOrDefault(JOB_SET_UID, labels.getOrDefault(JOB_SET, ""));
    String maker =
        labels.containsKey(JOB_SET)
            ? jobSet + "/" + labels.getOrDefault(RESTARTS, "")
            : RunLineage.maker(pod).map(OwnerReference::getUid).orElse("");
    Optional<Instant> over =
        isOver(pod) ? endOf(pod).or(() -> PodReport.readyUntil(pod)) : Optional.empty();
    return new PodFact.Stint(maker, over);
  }

  private static Member member(Pod pod, GangId gang, Request request, GangConstraints constraints) {
    return new Member(
        id(pod),
        gang,
        MemberRank.of(
            pod.getMetadata().getName(),
            ObjectMetadata.labels(pod),
            ObjectMetadata.annotations(pod)),
        Objects.requireNonNullElse(pod.getSpec().getPriority(), 0),
        request,
        constraints,
        state(pod),
        JsonBodies.created(pod),
        PodReport.of(pod));
  }

  private static MemberState state(Pod pod) {
    PodSpec spec = pod.getSpec();
    Optional<NodeId> node = node(spec.getNodeName());
    boolean deleted = pod.getMetadata().getDeletionTimestamp() != null;
    if (isOver(pod)) {
      boolean succeeded = status(pod).getPhase().equals("Succeeded");
      return deleted && (succeeded || PodReport.wasStopped(pod))
          ? MemberState.Leaving.ended() // being deleted before its end, so it will be replaced
          : new MemberState.Ended(succeeded, deleted ? Optional.empty() : PodStart.failure(pod));
    }
    if (deleted) {
      return new MemberState.Leaving(node, Optional.of(JsonBodies.deleted(pod)));
    }
    if (node.isPresent()) {
      return new MemberState.Bound(node.get(), PodStart.boundAt(pod));
    }
    if (!spec.getSchedulingGates().isEmpty()) {
      return new MemberState.Held(
          spec.getSchedulingGates().stream()
              .anyMatch(gate -> !WellKnownNames.GATE.equals(gate.getName())));
    }
    Optional<PodCondition> refusal = PodStart.refusal(pod);
    Optional<NodeId> nominated = node(status(pod).getNominatedNodeName());
    if (StartSwitch.of(pod).isPresent() && refusal.isEmpty() && nominated.isEmpty()) {
      return new MemberState.Held(false);
    }
    return new MemberState.Waiting(
        nominated,
        refusal.isPresent(),
        refusal.flatMap(said -> PodStart.reasons(text(said.getMessage()))),
        refusal.flatMap(said -> PodStart.nodes(text(said.getMessage()))));
  }

  // A finished pod holds no resources, even while its object is being deleted.
  public static boolean isOver(Pod pod) {
    String phase = text(status(pod).getPhase());
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  /// Returns the end of its last container, if stated.
  public static Optional<Instant> endOf(Pod pod) {
    return status(pod).getContainerStatuses().stream()
        .map(ContainerStatus::getState)
        .filter(Objects::nonNull)
        .map(ContainerState::getTerminated)
        .filter(Objects::nonNull)
        .map(ContainerStateTerminated::getFinishedAt)
        .filter(Objects::nonNull)
        .map(at -> JsonBodies.instant(PodStart.CONTAINER_TIMES, at))
        .max(Comparator.naturalOrder());
  }

  private static MemberId id(Pod pod) {
    var meta = pod.getMetadata();
    return new MemberId(text(meta.getNamespace()), text(meta.getName()), text(meta.getUid()));
  }

  static Optional<NodeId> node(@Nullable String name) {
    return name == null || name.isBlank() ? Optional.empty() : Optional.of(new NodeId(name));
  }

  static PodStatus status(Pod pod) {
    return Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
  }

  static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}
