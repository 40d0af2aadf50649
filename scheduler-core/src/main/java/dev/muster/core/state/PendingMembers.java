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
import java.util.List;

/// Pending members are the members of a gang that need a place now.
public final class PendingMembers {
  private static final Comparator<Request> BY_SIZE =
      Comparator.comparingInt(Request::gpus)
          .thenComparingInt(Request::gpuMilli)
          .thenComparingLong(request -> request.resources().get(Resources.CPU))
          .thenComparingLong(request -> request.resources().get(Resources.MEMORY));

  private PendingMembers() {}

  /// Returns the members without a promise that may still run under the maximum, in rank order.
  public static List<Member> of(Cluster cluster, Gang gang) {
    List<Member> wanting = cluster.unpromised(gang);
    return wanting.subList(0, Math.min(atMost(cluster, gang), wanting.size()));
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
  /// nothing is kept or vacated for more than it needs.
  public static List<Member> needed(Cluster cluster, Gang gang) {
    List<Member> wanting = of(cluster, gang);
    int least = Math.max(1, cluster.lacking(gang));
    if (wanting.isEmpty() || !mayChoose(cluster, gang)) {
      return wanting.subList(0, Math.min(least, wanting.size()));
    }
    List<Member> able = new ArrayList<>(cluster.unpromised(gang));
    List<Request> unable =
        able.stream()
            .map(Member::request)
            .distinct()
            .filter(request -> !isPossible(cluster, gang, request))
            .toList();
    able.removeIf(member -> unable.contains(member.request()));
    return smallest(able.size() < least ? wanting : able, least);
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
    List<Member> sorted = new ArrayList<>(members);
    sorted.sort(Comparator.comparing(Member::request, BY_SIZE).thenComparing(Member.BY_RANK));
    List<Member> smallest = new ArrayList<>(sorted.subList(0, Math.min(number, sorted.size())));
    smallest.sort(Member.BY_RANK);
    return smallest;
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
