package dev.muster.core.admission;

import static java.util.Objects.requireNonNull;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// A member that runs, or is about to, or that terminates, and will leave its node.
///
/// @param gang its gang
/// @param pod the member
/// @param node where it is
/// @param end when it is expected to leave; absent when nobody knows
/// @param since since when it runs
record Leaver(GangId gang, MemberId pod, NodeId node, Optional<Instant> end, Instant since) {

  /// All that leave, in the order in which they are expected to.
  ///
  /// @param gang whose members stay
  /// @param unknown whether those count of which nobody knows when they end
  static List<Leaver> of(Cluster cluster, Runs runs, GangId gang, boolean unknown) {
    List<Leaver> leavers = new ArrayList<>();
    for (Gang other : cluster.gangs()) {
      boolean holds = other.boundCount() > 0 || cluster.reservations().contains(other.id());
      if (holds && !other.id().equals(gang)) {
        Optional<Instant> end = end(cluster, runs, other);
        if (end.isPresent() || unknown) {
          add(leavers, cluster, other, end);
        }
      }
      if (other.leavingCount() > 0) {
        addLeaving(leavers, other, cluster.now());
      }
    }
    leavers.sort(order(leavers));
    return leavers;
  }

  /// By expected end, then those of which nothing is known: first those on whose node the fewest
  /// gangs are, since a node is free when the last of them has left it, and few are gone sooner
  /// than many; of these the gangs on the most nodes, which all come free at once; of equal ones
  /// the longest running first.
  private static Comparator<Leaver> order(List<Leaver> leavers) {
    Map<NodeId, Set<GangId>> crowds = new TreeMap<>();
    Map<GangId, Set<NodeId>> spans = new TreeMap<>();
    for (Leaver leaver : leavers) {
      crowds.computeIfAbsent(leaver.node(), _ -> new TreeSet<>()).add(leaver.gang());
      spans.computeIfAbsent(leaver.gang(), _ -> new TreeSet<>()).add(leaver.node());
    }
    return Comparator.comparing((Leaver leaver) -> leaver.end().orElse(Instant.MAX))
        .thenComparingInt(leaver -> requireNonNull(crowds.get(leaver.node())).size())
        .thenComparingInt(leaver -> -requireNonNull(spans.get(leaver.gang())).size())
        .thenComparing(Leaver::since)
        .thenComparing(Leaver::pod);
  }

  private static Optional<Instant> end(Cluster cluster, Runs runs, Gang gang) {
    return gang.boundCount() > 0
        ? runs.end(gang, cluster.now())
        : runs.expected(gang).map(cluster.now()::plus);
  }

  /// Those that terminate already are gone as good as now.
  private static void addLeaving(List<Leaver> leavers, Gang gang, Instant now) {
    for (Member member : gang.members()) {
      if (member.state() instanceof MemberState.Leaving(Optional<NodeId> node)) {
        node.map(id -> new Leaver(gang.id(), member.id(), id, Optional.of(now), now))
            .ifPresent(leavers::add);
      }
    }
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
