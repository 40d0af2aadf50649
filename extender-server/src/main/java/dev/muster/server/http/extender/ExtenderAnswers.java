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

/// Answers kube-scheduler's calls from the image and the request alone.
public final class ExtenderAnswers {
  /// The reason for a pod whose promised node was not offered.
  static final String ELSEWHERE = "muster: reserved on another node";

  private final PodScope scope;
  private final LastValueCache<SortedTable<NodeId, NodeState>, Set<String>> gpuNodes =
      new LastValueCache<>(ExtenderAnswers::withGpus);
  private final LastValueCache<SortedTable<GangId, Gang>, Map<String, Member>> evictable =
      new LastValueCache<>(ExtenderAnswers::evictable);

  /// @param scope pods that Muster places
  public ExtenderAnswers(PodScope scope) {
    this.scope = scope;
  }

  /// Returns the offered nodes that the pod may use. An unmanaged pod may use all of them, a member
  /// with a promise the promised one, and a waiting member none. A node that was not offered is
  /// never returned.
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

  /// True if the pod is so new that a better answer can be expected in a moment.
  public boolean isUndecided(State state, ExtenderArgs args) {
    return problem(args).isEmpty() && isUndecided(state, args.pod().orElseThrow());
  }

  /// True if the pod, which [lacks nothing][#problem], is so new.
  public boolean isUndecided(State state, ExtenderPod pod) {
    return state.cluster().synced()
        && allowed(state, pod) instanceof AllowedNodes.Nowhere(_, boolean decided)
        && !decided;
  }

  /// Returns the known pod, placed by Muster, that the request is about. Only kube-scheduler sends
  /// such requests.
  public Optional<Member> known(State state, Optional<ExtenderPod> asked) {
    return asked
        .filter(pod -> scope.includes(pod) && pod.isIdentified())
        .flatMap(pod -> AllowedNodes.member(pod, state.cluster()));
  }

  private static FilterAnswer only(OfferedNodes offer, OfferedNodes left) {
    return left.isEmpty() ? FilterAnswer.refusing(offer, ELSEWHERE) : FilterAnswer.passing(left);
  }

  /// Returns the missing field of a well-formed request; empty when it can be answered.
  public Optional<String> problem(ExtenderArgs args) {
    if (args.offer().isEmpty()) {
      return Optional.of("The request has neither NodeNames nor Nodes.");
    }
    return problem(args.pod());
  }

  /// Returns the missing field of the pod.
  public Optional<String> problem(Optional<ExtenderPod> pod) {
    if (pod.isEmpty()) {
      return Optional.of("The request has no Pod.");
    }
    return scope.includes(pod.get()) && !pod.get().isIdentified()
        ? Optional.of("The pod lacks metadata.name or metadata.uid.")
        : Optional.empty();
  }

  private AllowedNodes allowed(State state, ExtenderPod pod) {
    return AllowedNodes.of(pod, scope.includes(pod), state);
  }

  /// Returns the names of the best offered nodes, in the order offered.
  ///
  /// - For a member: the promised node.
  /// - For an unmanaged pod without GPUs: all nodes without GPUs, which leaves GPU nodes to pods
  ///   that need them.
  /// - If all nodes are equally good: none.
  ///
  /// @throws IllegalArgumentException if the request [lacks something][#problem]
  public List<String> prioritize(State state, ExtenderArgs args) {
    problem(args).ifPresent(ExtenderAnswers::refuse);
    OfferedNodes offer = args.offer().orElseThrow();
    return switch (allowed(state, args.pod().orElseThrow())) {
      case AllowedNodes.Anywhere _ ->
          args.pod().filter(ExtenderPod::wantsAccelerator).isPresent()
              ? List.of() // all nodes that it fits have GPUs
              : except(gpuNodes.of(state.cluster().nodes()), offer.names());
      case AllowedNodes.Only(NodeId node) -> offer.only(node.name()).names();
      case AllowedNodes.Nowhere _ -> List.of();
    };
  }

  /// Returns the candidates for preemption that kube-scheduler may keep. For pods that Muster
  /// places there are none, since Muster preempts for them, whole gangs at a time. For other pods,
  /// a candidate is kept if the policy [permits][UnmanagedPreemptor] the eviction of its managed
  /// victims.
  ///
  /// @param policies configuration in force
  /// @throws IllegalArgumentException if the request lacks the pod
  public List<PreemptionArgs.Candidate> preempt(
      State state, Policies policies, PreemptionArgs args) {
    problem(args.pod()).ifPresent(ExtenderAnswers::refuse);
    ExtenderPod pod = args.pod().orElseThrow();
    if (scope.includes(pod)) {
      return List.of();
    }
    Map<String, Member> ours = evictable.of(state.cluster().gangs());
    UnmanagedPreemptor outsider =
        new UnmanagedPreemptor(state, policies, pod.profile(state.cluster().now()));
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

  /// Returns the names of the nodes with GPUs.
  private static Set<String> withGpus(SortedTable<NodeId, NodeState> nodes) {
    Set<String> names = new HashSet<>();
    for (NodeState node : nodes) {
      if (node.node().gpus() > 0) {
        names.add(node.id().name());
      }
    }
    return names;
  }

  /// Returns the gang members that kube-scheduler may evict, by uid. These are bound members and
  /// members that may be bound in a moment.
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
      case MemberState.Bound _, MemberState.Waiting _, MemberState.Held _ -> true;
      case MemberState.Leaving _, MemberState.Ended _ -> false;
    };
  }
}
