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

/// A member that runs, is about to run or terminates, and will leave its node.
///
/// @param gang its gang
/// @param pod the member
/// @param node its node
/// @param end time at which it is expected to leave; absent if unknown
/// @param since start of its run
record ExpectedRelease(
    GangId gang, MemberId pod, NodeId node, Optional<Instant> end, Instant since) {

  /// The remaining time assumed for a pod of unknown end that has just started.
  private static final Duration YOUNG = Duration.ofMinutes(30);

  private static final Comparator<ExpectedRelease> BY_END =
      Comparator.comparing((ExpectedRelease leaver) -> leaver.end().orElse(Instant.MAX))
          .thenComparing(ExpectedRelease::since)
          .thenComparing(ExpectedRelease::pod);

  /// Returns all expected releases in their expected order.
  ///
  /// With pods of unknown end they come node by node instead.
  ///
  /// @param gang gang whose members stay
  /// @param unknown whether pods of unknown end count
  static List<ExpectedRelease> of(
      Cluster cluster, RuntimeHistory history, GangId gang, boolean unknown) {
    List<ExpectedRelease> releases =
        of(cluster.gangs(), cluster, history, gang, unknown, cluster.now());
    releases.sort(unknown ? byNode(releases, cluster.now()) : BY_END);
    return releases;
  }

  /// Returns the expected releases on a place, in no particular order.
  ///
  /// @param then time at which their ends are computed
  static List<ExpectedRelease> on(
      Cluster cluster, RuntimeHistory history, Hold place, Instant then) {
    TreeMap<GangId, Gang> there = new TreeMap<>();
    for (NodeId id : place.shares().keys()) {
      cluster
          .nodes()
          .get(id)
          .ifPresent(node -> {
            node.occupants().keys().forEach(pod -> add(there, cluster, pod));
            node.promises().keys().forEach(pod -> add(there, cluster, pod));
          });
    }
    List<ExpectedRelease> releases = of(there.values(), cluster, history, place.gang(), true, then);
    releases.removeIf(release -> !place.shares().contains(release.node()));
    return releases;
  }

  private static void add(Map<GangId, Gang> there, Cluster cluster, MemberId pod) {
    cluster.ledger().gangOf(pod).ifPresent(gang -> there.put(gang, cluster.gang(gang)));
  }

  private static List<ExpectedRelease> of(
      Iterable<Gang> gangs,
      Cluster cluster,
      RuntimeHistory history,
      GangId gang,
      boolean unknown,
      Instant now) {
    List<ExpectedRelease> releases = new ArrayList<>();
    for (Gang other : gangs) {
      boolean holds = other.boundCount() > 0 || cluster.reservations().contains(other.id());
      Optional<Instant> end = holds ? end(history, other, now) : Optional.empty();
      if (holds && (unknown || end.isPresent()) && !other.id().equals(gang)) {
        add(releases, cluster, other, end);
      }
      if (other.leavingCount() > 0) {
        addLeaving(releases, other, now);
      }
    }
    return releases;
  }

  /// Orders releases node by node, starting with the nodes that are expected to be empty first.
  ///
  /// The weight of a node is the sum of the remaining times of the gangs there. A node is free when
  /// the last gang has left it, and few gangs leave sooner than many. A gang on several nodes adds
  /// an equal share of its time to each: all of them become free at once.
  private static Comparator<ExpectedRelease> byNode(List<ExpectedRelease> releases, Instant now) {
    Map<NodeId, Map<GangId, ExpectedRelease>> crowds = new TreeMap<>();
    Map<GangId, Set<NodeId>> spans = new TreeMap<>();
    for (ExpectedRelease release : releases) {
      crowds
          .computeIfAbsent(release.node(), _ -> new TreeMap<>())
          .merge(release.gang(), release, (a, b) -> a.left(now) > b.left(now) ? a : b);
      spans.computeIfAbsent(release.gang(), _ -> new TreeSet<>()).add(release.node());
    }
    Map<NodeId, Long> weights = new TreeMap<>();
    crowds.forEach((node, crowd) -> {
      long sum = 0;
      for (ExpectedRelease release : crowd.values()) {
        sum += release.left(now) / requireNonNull(spans.get(release.gang())).size();
      }
      weights.put(node, sum);
    });
    return Comparator.comparing(
            (ExpectedRelease release) -> requireNonNull(weights.get(release.node())))
        .thenComparing(ExpectedRelease::node)
        .thenComparing(ExpectedRelease::pod);
  }

  /// Returns the expected remaining time in ms.
  ///
  /// A pod of unknown end is expected to run for as long again as it has run, plus half an hour.
  /// Most end soon; the others run longer the longer they have run (heavy tails: Harchol-Balter &
  /// Downey 1997).
  private long left(Instant now) {
    return end.map(at -> Math.max(0, Duration.between(now, at).toMillis()))
        .orElseGet(() -> Duration.between(since, now).plus(YOUNG).toMillis());
  }

  private static Optional<Instant> end(RuntimeHistory history, Gang gang, Instant now) {
    return gang.boundCount() > 0 ? history.end(gang, now) : history.expected(gang).map(now::plus);
  }

  /// Adds the gang's terminating members. They are expected to be gone now.
  private static void addLeaving(List<ExpectedRelease> releases, Gang gang, Instant now) {
    for (Member member : gang.active()) {
      if (member.state() instanceof MemberState.Leaving(Optional<NodeId> node, _)) {
        node.map(id -> new ExpectedRelease(gang.id(), member.id(), id, Optional.of(now), now))
            .ifPresent(releases::add);
      }
    }
  }

  private static void add(
      List<ExpectedRelease> releases, Cluster cluster, Gang gang, Optional<Instant> end) {
    for (Member member : gang.active()) {
      if (member.state() instanceof MemberState.Bound(NodeId node, Instant since)) {
        releases.add(new ExpectedRelease(gang.id(), member.id(), node, end, since));
      } else {
        cluster
            .promise(member)
            .map(promise ->
                new ExpectedRelease(gang.id(), member.id(), promise.node(), end, cluster.now()))
            .ifPresent(releases::add);
      }
    }
  }
}
