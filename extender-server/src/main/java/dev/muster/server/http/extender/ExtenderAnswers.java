package dev.muster.server.http.extender;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.preempt.UnmanagedPreemptor;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// What kube-scheduler is answered: a function of the image and the question.
public final class ExtenderAnswers {
  /// Said of a pod whose promised node was not offered.
  static final String ELSEWHERE = "muster: reserved on another node";

  private final PodScope scope;
  private final LastValueCache<SortedTable<NodeId, NodeState>, Set<String>> gpuNodes =
      new LastValueCache<>(ExtenderAnswers::withGpus);
  private final LastValueCache<SortedTable<GangId, Gang>, Map<String, Member>> evictable =
      new LastValueCache<>(ExtenderAnswers::evictable);

  /// @param scope which pods are ours
  public ExtenderAnswers(PodScope scope) {
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
  public boolean isUndecided(State state, ExtenderArgs args) {
    return state.cluster().synced()
        && problem(args).isEmpty()
        && allowed(state, args.pod().orElseThrow())
            instanceof AllowedNodes.Nowhere(_, boolean decided)
        && !decided;
  }

  /// Whether the question is about a pod of ours that was seen: nobody but kube-scheduler asks
  /// such.
  public boolean knows(State state, ExtenderArgs args) {
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
  public Optional<String> problem(ExtenderArgs args) {
    if (args.offer().isEmpty()) {
      return Optional.of(
          "The request has neither NodeNames nor Nodes. Maybe the caller is no kube-scheduler.");
    }
    return problem(args.pod());
  }

  /// What the pod lacks.
  public Optional<String> problem(Optional<ExtenderPod> pod) {
    if (pod.isEmpty()) {
      return Optional.of("The request has no Pod. Maybe the caller is no kube-scheduler.");
    }
    return scope.includes(pod.get()) && !pod.get().isIdentified()
        ? Optional.of("The pod lacks metadata.name or metadata.uid. Maybe it was never created.")
        : Optional.empty();
  }

  private AllowedNodes allowed(State state, ExtenderPod pod) {
    return AllowedNodes.of(pod, scope.includes(pod), state);
  }

  /// The names of the offered nodes that suit the pod best, in the order offered: the promised one
  /// for a member; for a stranger without GPUs all nodes without GPUs, so that GPU nodes are left
  /// to pods that need them; none where all suit alike.
  ///
  /// @throws IllegalArgumentException when the request [lacks something][#problem]
  public List<String> prioritize(State state, ExtenderArgs args) {
    problem(args).ifPresent(ExtenderAnswers::refuse);
    OfferedNodes offer = args.offer().orElseThrow();
    return switch (allowed(state, args.pod().orElseThrow())) {
      case AllowedNodes.Anywhere _ ->
          args.pod().filter(ExtenderPod::wantsAccelerator).isPresent()
              ? List.of() // all that it fits have GPUs
              : except(gpuNodes.of(state.cluster().nodes()), offer.names());
      case AllowedNodes.Only(NodeId node) -> offer.only(node.name()).names();
      case AllowedNodes.Nowhere _ -> List.of();
    };
  }

  /// Those of kube-scheduler's candidates for preemption that may go on: none for pods of ours,
  /// since Muster preempts for them, whole gangs at a time; for others, those whose victims among
  /// our pods the policy [lets go][UnmanagedPreemptor].
  ///
  /// @param policies the configuration in force
  /// @throws IllegalArgumentException when the request lacks the pod
  public List<PreemptionArgs.Candidate> preempt(State state, Policies policies, PreemptionArgs args) {
    problem(args.pod()).ifPresent(ExtenderAnswers::refuse);
    ExtenderPod pod = args.pod().orElseThrow();
    if (scope.includes(pod)) {
      return List.of();
    }
    Map<String, Member> ours = evictable.of(state.cluster().gangs());
    UnmanagedPreemptor outsider = new UnmanagedPreemptor(state, policies, pod.profile(state.cluster().now()));
    return args.candidates().stream()
        .filter(node -> outsider.mayStop(among(ours, node.uids()), node.pdbViolations() > 0))
        .toList();
  }

  private static List<String> except(Set<String> unwanted, List<String> names) {
    return names.stream().filter(name -> !unwanted.contains(name)).toList();
  }

  private static List<Member> among(Map<String, Member> ours, List<String> uids) {
    return uids.stream().flatMap(uid -> Stream.ofNullable(ours.get(uid))).toList();
  }

  private static void refuse(String problem) {
    throw new IllegalArgumentException(problem);
  }

  /// The names of the nodes with GPUs.
  private static Set<String> withGpus(SortedTable<NodeId, NodeState> nodes) {
    Set<String> names = new HashSet<>();
    for (NodeState node : nodes) {
      if (node.node().gpus() > 0) {
        names.add(node.id().name());
      }
    }
    return names;
  }

  /// The members of gangs that kube-scheduler may take for victims, by uid: those that are bound,
  /// or may be in a moment.
  private static Map<String, Member> evictable(SortedTable<GangId, Gang> gangs) {
    Map<String, Member> members = new HashMap<>();
    for (Gang gang : gangs) {
      for (Member member : gang.members()) {
        if (isEvictable(member.state())) {
          members.put(member.id().uid(), member);
        }
      }
    }
    return members;
  }

  private static boolean isEvictable(MemberState state) {
    return switch (state) {
      case MemberState.Bound _, MemberState.Waiting _ -> true;
      case MemberState.Held _, MemberState.Leaving _, MemberState.Ended _ -> false;
    };
  }
}
