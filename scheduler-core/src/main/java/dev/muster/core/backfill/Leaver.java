package dev.muster.core.backfill;

import static java.util.Objects.requireNonNull;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Hold;
import java.time.Duration;
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

  /// What one that just started is taken to run.
  private static final Duration YOUNG = Duration.ofMinutes(30);

  private static final Comparator<Leaver> BY_END =
      Comparator.comparing((Leaver leaver) -> leaver.end().orElse(Instant.MAX))
          .thenComparing(Leaver::since)
          .thenComparing(Leaver::pod);

  /// All that leave, in the order in which they are expected to; where it is not known of all when
  /// they end, node by node.
  ///
  /// @param gang whose members stay
  /// @param unknown whether those count of which nobody knows when they end
  static List<Leaver> of(Cluster cluster, Runs runs, GangId gang, boolean unknown) {
    List<Leaver> leavers = of(cluster.gangs(), cluster, runs, gang, unknown, cluster.now());
    leavers.sort(unknown ? byNode(leavers, cluster.now()) : BY_END);
    return leavers;
  }

  /// Those that leave a place, in no particular order.
  ///
  /// @param then when their ends are reckoned
  static List<Leaver> on(Cluster cluster, Runs runs, Hold place, Instant then) {
    TreeMap<GangId, Gang> there = new TreeMap<>();
    for (NodeId id : place.claims().keys()) {
      cluster
          .nodes()
          .get(id)
          .ifPresent(node -> {
            node.occupants().keys().forEach(pod -> add(there, cluster, pod));
            node.promises().keys().forEach(pod -> add(there, cluster, pod));
          });
    }
    List<Leaver> leavers = of(there.values(), cluster, runs, place.gang(), true, then);
    leavers.removeIf(leaver -> !place.claims().contains(leaver.node()));
    return leavers;
  }

  private static void add(Map<GangId, Gang> there, Cluster cluster, MemberId pod) {
    cluster.books().gangOf(pod).ifPresent(gang -> there.put(gang, cluster.gang(gang)));
  }

  private static List<Leaver> of(
      Iterable<Gang> gangs, Cluster cluster, Runs runs, GangId gang, boolean unknown, Instant now) {
    List<Leaver> leavers = new ArrayList<>();
    for (Gang other : gangs) {
      boolean holds = other.boundCount() > 0 || cluster.reservations().contains(other.id());
      Optional<Instant> end = holds ? end(runs, other, now) : Optional.empty();
      if (holds && (unknown || end.isPresent()) && !other.id().equals(gang)) {
        add(leavers, cluster, other, end);
      }
      if (other.leavingCount() > 0) {
        addLeaving(leavers, other, now);
      }
    }
    return leavers;
  }

  /// Node by node, first those that are expected to be empty soonest: by the sum of the times that
  /// the gangs there are expected to go on, since a node is free when the last of them has left it,
  /// and few are gone sooner than many. Of a gang on several nodes each bears its part: they all
  /// come free at once.
  private static Comparator<Leaver> byNode(List<Leaver> leavers, Instant now) {
    Map<NodeId, Map<GangId, Leaver>> crowds = new TreeMap<>();
    Map<GangId, Set<NodeId>> spans = new TreeMap<>();
    for (Leaver leaver : leavers) {
      crowds
          .computeIfAbsent(leaver.node(), _ -> new TreeMap<>())
          .merge(leaver.gang(), leaver, (a, b) -> a.left(now) > b.left(now) ? a : b);
      spans.computeIfAbsent(leaver.gang(), _ -> new TreeSet<>()).add(leaver.node());
    }
    Map<NodeId, Long> weights = new TreeMap<>();
    crowds.forEach((node, crowd) -> {
      long sum = 0;
      for (Leaver leaver : crowd.values()) {
        sum += leaver.left(now) / requireNonNull(spans.get(leaver.gang())).size();
      }
      weights.put(node, sum);
    });
    return Comparator.comparing((Leaver leaver) -> requireNonNull(weights.get(leaver.node())))
        .thenComparing(Leaver::node)
        .thenComparing(Leaver::pod);
  }

  /// How long it is expected to be there, in ms. One of which nothing is known is taken to go on
  /// for as long again as it has run, and half an hour more: most end soon, and those that do not
  /// go on for the longer the longer they have run (heavy tails: Harchol-Balter & Downey 1997).
  private long left(Instant now) {
    return end.map(at -> Math.max(0, Duration.between(now, at).toMillis()))
        .orElseGet(() -> Duration.between(since, now).plus(YOUNG).toMillis());
  }

  private static Optional<Instant> end(Runs runs, Gang gang, Instant now) {
    return gang.boundCount() > 0 ? runs.end(gang, now) : runs.expected(gang).map(now::plus);
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
