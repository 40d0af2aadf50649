package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Pending members are the members of a gang that need a place now.
public final class PendingMembers {
  private static final Comparator<Request> BY_SIZE =
      Comparator.comparingInt(Request::gpus)
          .thenComparingInt(Request::gpuMilli)
          .thenComparingLong(request -> request.resources().get(Resources.CPU))
          .thenComparingLong(request -> request.resources().get(Resources.MEMORY));

  /// The limit on kinds of members that all nodes are asked about for one gang.
  private static final int KINDS = 4;

  private PendingMembers() {}

  /// Returns the members without a promise that may still run under the maximum, in rank order.
  public static List<Member> of(Cluster cluster, Gang gang) {
    List<Member> wanting = cluster.unpromised(gang);
    return wanting.subList(0, Math.min(atMost(cluster, gang), wanting.size()));
  }

  /// True if a member needs a place now. It takes no longer for a large gang.
  public static boolean exist(Cluster cluster, Gang gang) {
    int promises =
        cluster.reservations().get(gang.id()).map(held -> held.promises().size()).orElse(0);
    return gang.wantingCount() > promises && atMost(cluster, gang) > 0;
  }

  /// Returns the number of members that may still start under the maximum.
  public static int atMost(Cluster cluster, Gang gang) {
    int running = gang.runningCount(cluster.reservations().get(gang.id()));
    return Math.max(0, gang.maxCount() - running);
  }

  /// Returns the pending members that the gang needs for its minimum. If it has its minimum, that
  /// is the next one.
  ///
  /// They are the smallest that some node could ever take: the gang may start with any members. So
  /// nothing is kept or vacated for more than it needs. Only the smallest [#KINDS] kinds are
  /// judged: larger ones count as possible.
  public static List<Member> needed(Cluster cluster, Gang gang) {
    List<Member> wanting = of(cluster, gang);
    int least = Math.max(1, cluster.lacking(gang));
    if (wanting.isEmpty() || !mayChoose(cluster, gang)) {
      return wanting.subList(0, Math.min(least, wanting.size()));
    }
    List<Member> able = new ArrayList<>();
    Map<Request, Boolean> known = new LinkedHashMap<>();
    for (Member member : smallestFirst(cluster.unpromised(gang))) {
      if (able.size() < least && mayBeAble(member.request(), known, cluster, gang)) {
        able.add(member);
      }
    }
    able.sort(Member.BY_RANK);
    return able.size() < least ? smallest(wanting, least) : able;
  }

  /// True if some node could take a member of the kind, or if [#KINDS] kinds were examined already.
  ///
  /// @param known the kinds examined so far
  private static boolean mayBeAble(
      Request kind, Map<Request, Boolean> known, Cluster cluster, Gang gang) {
    Boolean before = known.get(kind);
    if (before == null && known.size() < KINDS) {
      before = isPossible(cluster, gang, kind);
      known.put(kind, before);
    }
    return before == null || before;
  }

  private static boolean isPossible(Cluster cluster, Gang gang, Request request) {
    MemberRequirements ask = MemberRequirements.of(request, gang.constraints(), cluster.topology());
    return cluster
        .nodes()
        .any(node ->
            node.node().allocatable().covers(request.resources())
                && LastingRules.veto(ask, node.node()).isEmpty());
  }

  /// True if the gang may start with other members than those of the lowest ranks, and that makes a
  /// difference. Slices count their members in rank order.
  public static boolean mayChoose(Cluster cluster, Gang gang) {
    if (gang.constraints().topology().slices().isPresent()) {
      return false;
    }
    List<Member> wanting = cluster.unpromised(gang);
    return wanting.size() > Math.max(1, cluster.lacking(gang))
        && wanting.stream().anyMatch(m -> !m.request().equals(wanting.getFirst().request()));
  }

  /// True if the gang has slices, and members beside those that wait for a node. These count in the
  /// slices, so its waiting members alone do not tell which of them must be together.
  public static boolean haveShiftedSlices(Gang gang) {
    return gang.members().size() > gang.wantingCount()
        && gang.constraints().topology().slices().isPresent();
  }

  /// Returns so many members with the smallest requests, in rank order. GPUs are compared first.
  public static List<Member> smallest(List<Member> members, int number) {
    List<Member> sorted = smallestFirst(members);
    List<Member> smallest = new ArrayList<>(sorted.subList(0, Math.min(number, sorted.size())));
    smallest.sort(Member.BY_RANK);
    return smallest;
  }

  private static List<Member> smallestFirst(List<Member> members) {
    List<Member> sorted = new ArrayList<>(members);
    sorted.sort(Comparator.comparing(Member::request, BY_SIZE).thenComparing(Member.BY_RANK));
    return sorted;
  }

  /// True if members with the smallest requests fit wherever others do. Each of these requests,
  /// smallest first, then asks for no less of anything than the one before it, and all accept the
  /// same nodes.
  public static boolean areNested(List<Request> requests) {
    List<Request> sorted = requests.stream().sorted(BY_SIZE).toList();
    for (int i = 1; i < sorted.size(); i++) {
      Request less = sorted.get(i - 1);
      Request more = sorted.get(i);
      boolean same =
          less.selection().equals(more.selection()) && less.onePerNode() == more.onePerNode();
      if (!same
          || !more.resources().covers(less.resources())
          || less.gpuMilli() > more.gpuMilli()) {
        return false;
      }
    }
    return true;
  }

  /// True if the gang has its minimum, or the lower one with which it ran whole before. Also true
  /// if none of its members runs or wants a node.
  public static boolean isWhole(Gang gang) {
    boolean started = gang.boundCount() + gang.succeededCount() >= gang.wholeCount();
    return started || gang.boundCount() + gang.wantingCount() == 0;
  }
}
