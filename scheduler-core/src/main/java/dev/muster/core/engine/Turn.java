package dev.muster.core.engine;

import dev.muster.core.admission.GangOrder;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.Decision;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// The gangs to try in this turn: those that the event itself concerns, and those whose remedy it
/// brings.
///
/// @param cluster the image
/// @param gangs the gangs to try
record Turn(Cluster cluster, SortedSet<GangId> gangs) {
  /// A gang that was released tries again no sooner than this.
  private static final Duration REST = Duration.ofSeconds(10);

  static Turn after(Event event, State before, State state, Upkeep.Kept kept) {
    TreeSet<GangId> gangs = new TreeSet<>(kept.touched());
    own(event).ifPresent(gangs::add);
    Set<Remedy> brought = brought(event, before.cluster(), state.cluster());
    for (Decision standing : brought.isEmpty() ? List.<Decision>of() : state.standing()) {
      if (standing.why().main().map(Veto::remedy).filter(brought::contains).isPresent()) {
        gangs.add(standing.gang());
      }
    }
    if (event instanceof Event.Synced) {
      gangs.addAll(state.cluster().gangs().keys());
    }
    if (event instanceof Event.Tick(Instant now)) {
      due(now, state, gangs);
    }
    kept.releases().forEach(release -> gangs.remove(release.gang()));
    return new Turn(state.cluster(), gangs);
  }

  List<Gang> inOrder(GangOrder order) {
    List<Gang> turns = new ArrayList<>();
    gangs.forEach(id -> cluster.gangs().get(id).ifPresent(turns::add));
    turns.sort(Comparator.comparing(gang -> order.rank(cluster, gang)));
    return turns;
  }

  private static Optional<GangId> own(Event event) {
    return switch (event) {
      case Event.GangSeen(_, GangSpec spec) -> Optional.of(spec.id());
      case Event.GangGone(_, GangId gang) -> Optional.of(gang);
      case Event.MemberSeen(_, Member member) -> Optional.of(member.gang());
      case Event.MemberGone(_, GangId gang, _) -> Optional.of(gang);
      case Event.NodeSeen _,
          Event.NodeGone _,
          Event.StrangerSeen _,
          Event.StrangerGone _,
          Event.Synced _,
          Event.Tick _,
          Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _ ->
          Optional.empty();
    };
  }

  /// What the event brings to gangs that wait: another node, or room on one.
  private static Set<Remedy> brought(Event event, Cluster before, Cluster after) {
    return switch (event) {
      case Event.NodeSeen _, Event.NodeGone _ ->
          EnumSet.of(Remedy.NEVER, Remedy.EVICTION, Remedy.RELEASE);
      case Event.StrangerGone _,
          Event.MemberGone _,
          Event.MemberSeen _,
          Event.StrangerSeen _,
          Event.GangGone _,
          Event.Tick _ ->
          hasFreed(before, after)
              ? EnumSet.of(Remedy.EVICTION, Remedy.RELEASE)
              : EnumSet.noneOf(Remedy.class);
      case Event.GangSeen _,
          Event.Synced _,
          Event.ReservationWritten _,
          Event.ReservationNotWritten _,
          Event.MemberStarted _,
          Event.MemberNotStarted _ ->
          EnumSet.noneOf(Remedy.class);
    };
  }

  /// Whether there is more room on some node, by a pod that left it or a promise that ended without
  /// being fulfilled there. Binding a pod where it was promised to go frees nothing.
  private static boolean hasFreed(Cluster before, Cluster after) {
    return after.nodes().anyChanged(before.nodes(), (old, now) -> !old.free().covers(now.free()));
  }

  /// The gangs that wait for the room that the turns just taken gave back: plans that were lost or
  /// moved. Those that were released rest. No gang loses its whole plan twice in one step, so these
  /// turns end.
  static Turn again(State before, State after) {
    TreeSet<GangId> gangs = new TreeSet<>();
    if (hasFreed(before.cluster(), after.cluster())) {
      for (Decision standing : after.standing()) {
        Optional<Remedy> remedy = standing.why().main().map(Veto::remedy);
        boolean waits = remedy.filter(r -> r == Remedy.EVICTION || r == Remedy.RELEASE).isPresent();
        if (waits && !(standing instanceof Decision.Release)) {
          gangs.add(standing.gang());
        }
      }
    }
    return new Turn(after.cluster(), gangs);
  }

  /// Gangs that wait for time to pass.
  private static void due(Instant now, State state, SortedSet<GangId> gangs) {
    for (Decision standing : state.standing()) {
      Instant rested = standing.why().at().plus(REST);
      boolean waits =
          standing instanceof Decision.Release
              || standing.why().main().filter(Turn::passesWithTime).isPresent();
      if (waits && !now.isBefore(rested)) {
        gangs.add(standing.gang());
      }
    }
  }

  private static boolean passesWithTime(Veto veto) {
    return veto.remedy() == Remedy.RELEASE || veto instanceof Veto.TooFewMembers;
  }
}
