package dev.muster.server.http;

import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Outsider;
import dev.muster.core.engine.Policies;
import dev.muster.core.engine.State;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What kube-scheduler is answered: a function of the image and the question.
public final class Extender {
  /// Said of a pod whose promised node was not offered.
  static final String ELSEWHERE = "muster: reserved on another node";

  private final Scope scope;
  private final Latest<SortedTable<NodeId, NodeState>, NameSet> gpuNodes =
      new Latest<>(Extender::withGpus);
  private final Latest<SortedTable<GangId, Gang>, PodsInPlace> inPlace =
      new Latest<>(PodsInPlace::of);

  /// @param scope which pods are ours
  public Extender(Scope scope) {
    this.scope = scope;
  }

  /// Which of the offered nodes the pod may go to: all for a stranger, the promised one for a
  /// member with a promise, none for a member that waits. Never a node that was not offered.
  public FilterAnswer filter(State state, ExtenderArgs args) {
    Optional<String> problem = problem(args);
    if (problem.isPresent()) {
      return FilterAnswer.error(problem.get());
    }
    OfferedNodes offer = args.offer().orElseThrow();
    return switch (allowed(state, args.pod().orElseThrow())) {
      case AllowedNodes.Anywhere _ -> FilterAnswer.passing(offer);
      case AllowedNodes.Only(NodeId node) -> only(offer, offer.only(node.name()));
      case AllowedNodes.Nowhere(String reason, _) -> FilterAnswer.refusing(offer, reason);
    };
  }

  /// Whether the pod is so new that a better answer can be expected in a moment.
  boolean isUndecided(State state, ExtenderArgs args) {
    return state.cluster().synced()
        && problem(args).isEmpty()
        && allowed(state, args.pod().orElseThrow())
            instanceof AllowedNodes.Nowhere(_, boolean decided)
        && !decided;
  }

  /// Whether the question is about a pod of ours that was seen: nobody but kube-scheduler asks
  /// such.
  boolean knows(State state, ExtenderArgs args) {
    return args.pod()
        .filter(pod -> scope.includes(pod) && pod.isIdentified())
        .filter(pod ->
            pod.gangs().stream()
                .anyMatch(gang -> state.cluster().gang(gang).members().contains(pod.id())))
        .isPresent();
  }

  private static FilterAnswer only(OfferedNodes offer, OfferedNodes left) {
    return left.isEmpty() ? FilterAnswer.refusing(offer, ELSEWHERE) : FilterAnswer.passing(left);
  }

  /// What is missing in a question that is well-formed; empty when it can be answered.
  Optional<String> problem(ExtenderArgs args) {
    if (args.offer().isEmpty()) {
      return Optional.of(
          "The request has neither NodeNames nor Nodes. Maybe the caller is no kube-scheduler.");
    }
    return problem(args.pod());
  }

  /// What the pod lacks.
  Optional<String> problem(Optional<RequestedPod> pod) {
    if (pod.isEmpty()) {
      return Optional.of("The request has no Pod. Maybe the caller is no kube-scheduler.");
    }
    return scope.includes(pod.get()) && !pod.get().isIdentified()
        ? Optional.of("The pod lacks metadata.name or metadata.uid. Maybe it was never created.")
        : Optional.empty();
  }

  private AllowedNodes allowed(State state, RequestedPod pod) {
    return AllowedNodes.of(pod, scope.includes(pod), state);
  }

  /// How well each offered node suits the pod: the promised one best for a member; for a stranger
  /// without GPUs, all nodes without GPUs, so that GPU nodes are left to those who need them.
  ///
  /// @throws IllegalArgumentException when the request [lacks something][#problem]
  Scores prioritize(State state, ExtenderArgs args) {
    problem(args).ifPresent(Extender::refuse);
    OfferedNodes offer = args.offer().orElseThrow();
    return switch (allowed(state, args.pod().orElseThrow())) {
      case AllowedNodes.Anywhere _ ->
          args.pod().filter(RequestedPod::wantsAccelerator).isPresent()
              ? Scores.best(offer.none()) // all that it fits have GPUs
              : new Scores(offer, gpuNodes.of(state.cluster().nodes()));
      case AllowedNodes.Only(NodeId node) -> Scores.best(offer.only(node.name()));
      case AllowedNodes.Nowhere _ -> Scores.best(offer.none());
    };
  }

  /// Which of kube-scheduler's preemptions may go on: none for pods of ours, since Muster preempts
  /// for them, whole gangs at a time; for others, those whose victims among our pods the policy
  /// [lets go][Outsider].
  ///
  /// @param policies the configuration in force
  /// @throws IllegalArgumentException when the request lacks the pod
  ProposedVictims preempt(State state, Policies policies, PreemptionArgs args) {
    problem(args.pod()).ifPresent(Extender::refuse);
    RequestedPod pod = args.pod().orElseThrow();
    if (scope.includes(pod)) {
      return ProposedVictims.NONE;
    }
    PodsInPlace pods = inPlace.of(state.cluster().gangs());
    Outsider outsider = new Outsider(state, policies, pod.subject(state.cluster().now()));
    return outsider.asks() // else none of those in place may go, and no candidate need be decoded
        ? args.candidates()
            .sparing(
                pods.uids(),
                node -> outsider.mayStop(pods.among(node.uids()), node.pdbViolations() > 0))
        : args.candidates().sparing(pods.uids());
  }

  private static void refuse(String problem) {
    throw new IllegalArgumentException(problem);
  }

  private static NameSet withGpus(SortedTable<NodeId, NodeState> nodes) {
    List<String> names = new ArrayList<>();
    for (NodeState node : nodes) {
      if (node.node().gpus() > 0) {
        names.add(node.id().name());
      }
    }
    return NameSet.of(names);
  }
}
