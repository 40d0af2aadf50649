package dev.muster.core.admission;

import dev.muster.core.cluster.Assignment;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Hold;
import dev.muster.core.cluster.NodeState.Occupant;
import dev.muster.core.cluster.Placement;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.SearchResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Where and when a gang that does not fit will start.
///
/// Goals: the earliest start that the expected ends allow; where too few ends are known, a place
/// from which those leave that have run longest.
///
/// Constraints: those of [PlacementSearch]; what is held for other gangs stays held.
///
/// Algorithm: the running members in the order in which they are expected to leave: by expected
/// end, then those of which nothing is known, longest running first. The fewest of them are sought
/// whose leaving makes room: galloping (1, 2, 4... leave), then halving, since more leaving never
/// takes room away (EASY's shadow time, Lifka 1995, with the places of the machines). The start is
/// the end of the last of them. At most [#LOOKED_AT] ends are looked at.
///
/// Example: a gang of 2 x 8; nodes n1 (until 12:00), n2 (until 15:00), n3 (until 13:00), n4 (nobody
/// knows). By 13:00 n1 and n3 are free: it is planned to start there at 13:00. A pod of 1 GPU that
/// runs until 12:30 may pass on n1 once that is free; one that runs two hours may not.
public final class PlannedStart {
  /// With more ends than this before the start nothing is planned.
  static final int LOOKED_AT = 4_096;

  private PlannedStart() {}

  /// A member that runs, or is about to, and will leave its node.
  private record Leaver(
      GangId gang, MemberId pod, NodeId node, Optional<Instant> end, Instant since) {
    static final Comparator<Leaver> ORDER =
        Comparator.comparing((Leaver leaver) -> leaver.end().orElse(Instant.MAX))
            .thenComparing(Leaver::since)
            .thenComparing(Leaver::pod);
  }

  /// The room to hold for the gang's members, given in rank order; empty when even the leaving of
  /// all would not make room, or none of the ends that would is known and the gang may not drain
  /// yet.
  ///
  /// @param cluster the image, without room held for this gang
  /// @param since when the gang was first among those for which a start is sought
  /// @param drains whether it has waited so long that its place is drained
  public static Optional<Hold> of(
      Cluster cluster, Runs runs, Gang gang, List<Member> members, Instant since, boolean drains) {
    List<Leaver> leavers = leavers(cluster, runs, gang.id(), drains);
    Cluster image = cluster;
    int gone = 0;
    for (int next = 1; gone < leavers.size(); next = Math.min(2 * next, leavers.size())) {
      Cluster later = without(image, leavers.subList(gone, next));
      if (fits(later, gang, members).isPresent()) {
        return Optional.of(
            earliest(image, gang, members, leavers, gone, next)
                .hold(gang.id(), leavers, since, drains));
      }
      image = later;
      gone = next;
    }
    return Optional.empty();
  }

  /// A place, and how many must leave for it.
  private record Found(Placement placement, int leaving) {
    Hold hold(GangId gang, List<Leaver> leavers, Instant since, boolean drains) {
      List<Leaver> gone = leavers.subList(0, leaving);
      SortedTable<NodeId, Hold.Claim> claims = SortedTable.empty();
      for (Assignment assignment : placement.assignments()) {
        Hold.Claim before =
            claims.get(assignment.node()).orElseGet(() -> claim(assignment.node(), gone, drains));
        Occupant needs = before.needs().plus(Occupant.of(assignment.member().request()));
        claims = claims.with(assignment.node(), new Hold.Claim(needs, before.leavers()));
      }
      Optional<Instant> start = gone.getLast().end();
      return new Hold(gang, drains ? Hold.Kind.DRAINING : Hold.Kind.PLANNED, start, since, claims);
    }

    private static Hold.Claim claim(NodeId node, List<Leaver> gone, boolean drains) {
      SortedTable<MemberId, MemberId> counted = SortedTable.empty();
      for (Leaver leaver : gone) {
        boolean counts = !drains && leaver.node().equals(node);
        counted = counts ? counted.with(leaver.pod(), leaver.pod()) : counted;
      }
      return new Hold.Claim(Occupant.NONE, counted);
    }
  }

  /// The fewest that must leave, more than `low` of which the image is, and at most `high`.
  private static Found earliest(
      Cluster image, Gang gang, List<Member> members, List<Leaver> leavers, int low, int high) {
    if (high - low == 1) {
      Cluster last = without(image, leavers.subList(low, high));
      return new Found(fits(last, gang, members).orElseThrow(), high);
    }
    int middle = (low + high) >>> 1;
    Cluster half = without(image, leavers.subList(low, middle));
    return fits(half, gang, members).isPresent()
        ? earliest(image, gang, members, leavers, low, middle)
        : earliest(half, gang, members, leavers, middle, high);
  }

  private static Optional<Placement> fits(Cluster cluster, Gang gang, List<Member> members) {
    return switch (PlacementSearch.search(cluster, gang, members, SortedTable.empty())) {
      case SearchResult.Found(Placement placement, _, _) -> Optional.of(placement);
      case SearchResult.NotFound _ -> Optional.empty();
    };
  }

  private static Cluster without(Cluster cluster, List<Leaver> leavers) {
    TreeMap<NodeId, List<MemberId>> pods = new TreeMap<>();
    for (Leaver leaver : leavers) {
      pods.computeIfAbsent(leaver.node(), _ -> new ArrayList<>()).add(leaver.pod());
    }
    return WhatIf.emptied(cluster, pods);
  }

  private static List<Leaver> leavers(Cluster cluster, Runs runs, GangId gang, boolean drains) {
    List<Leaver> leavers = new ArrayList<>();
    for (Gang other : cluster.gangs()) {
      boolean holds = other.boundCount() > 0 || cluster.reservations().contains(other.id());
      if (holds && !other.id().equals(gang)) {
        Optional<Instant> end = end(cluster, runs, other);
        if (end.isPresent() || drains) {
          add(leavers, cluster, other, end);
        }
      }
    }
    leavers.sort(Leaver.ORDER);
    return drains ? leavers : leavers.subList(0, Math.min(LOOKED_AT, leavers.size()));
  }

  private static Optional<Instant> end(Cluster cluster, Runs runs, Gang gang) {
    return gang.boundCount() > 0
        ? runs.end(gang, cluster.now())
        : runs.expected(gang).map(cluster.now()::plus);
  }

  private static void add(List<Leaver> leavers, Cluster cluster, Gang gang, Optional<Instant> end) {
    for (Member member : gang.members()) {
      if (member.state() instanceof MemberState.Bound(NodeId node, Instant since)) {
        leavers.add(new Leaver(gang.id(), member.id(), node, end, since));
      } else {
        cluster
            .promise(member)
            .map(promise -> new Leaver(gang.id(), member.id(), promise.node(), end, cluster.now()))
            .ifPresent(leavers::add);
      }
    }
  }
}
