package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import dev.muster.core.state.WaitingGangs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Doubtful answers are reasons to wait that may be out of date, though no gang can start.
///
/// They are marked when a node changes, a promised pod is bound, or a gang avoids other nodes. A
/// few classes are tried again at every tick, so that the cost of an event is limited to its
/// changes.
public final class DoubtfulAnswers {
  /// The number of doubtful classes that are tried again at a tick.
  private static final int ASKED_AT_A_TICK = 32;

  private DoubtfulAnswers() {}

  /// Marks doubtful answers; at a tick, selects some of them to be tried again.
  public static Cycle run(Cycle cycle) {
    Event event = cycle.event();
    Cluster before = cycle.before().cluster();
    State state = cycle.state();
    if (changesNodes(event, before)) {
      state = state.with(state.waiting().doubting());
    }
    if (event instanceof Event.OfGang said
        && promises(before, said) > promises(state.cluster(), said)) {
      state = state.with(state.waiting().doubting(promised(state.waiting())));
    }
    List<WaitClass.Key> avoiding = avoiding(before, state);
    state = avoiding.isEmpty() ? state : state.with(state.waiting().doubting(avoiding));
    if (cycle.isTick()) {
      List<WaitClass.Key> doubted = state.waiting().longestInDoubt(ASKED_AT_A_TICK);
      state = state.with(state.waiting().asking(doubted));
      cycle.result().doubt(doubted);
    }
    return cycle.with(state);
  }

  private static boolean changesNodes(Event event, Cluster before) {
    return event instanceof Event.NodeGone
        || (event instanceof Event.NodeSeen(_, var node)
            && !before.nodes().contains(node.id(), n -> n.node().equals(node)));
  }

  private static int promises(Cluster cluster, Event.OfGang said) {
    Optional<Reservation> held = cluster.reservations().get(said.gang());
    return held.isPresent() ? held.get().promises().size() : 0;
  }

  /// Returns the classes of gangs that avoid other nodes than before. A workload of lone pods can
  /// have many pods in many classes, so they are not tried all at once.
  private static List<WaitClass.Key> avoiding(Cluster before, State state) {
    Cluster cluster = state.cluster();
    Set<GangId> changed = new TreeSet<>();
    cluster
        .avoidance()
        .byGang()
        .differences(before.avoidance().byGang())
        .forEach(each -> changed.add(each.key()));
    List<WaitClass.Key> told = new ArrayList<>();
    for (WaitClass waits : changed.isEmpty() ? List.<WaitClass>of() : state.waiting().classes()) {
      if (changed.contains(cluster.failing(waits.first()))) {
        told.add(waits.key());
      }
    }
    return told;
  }

  /// Returns the classes with a promise to another gang as their reason.
  ///
  /// A pod bound on its promised node frees nothing, so it wakes no gang. But the promise in the
  /// reason no longer exists.
  private static List<WaitClass.Key> promised(WaitingGangs waiting) {
    List<WaitClass.Key> told = new ArrayList<>();
    for (WaitClass waits : waiting.classes()) {
      if (waits.why().main().orElse(null) instanceof Veto.Promised) {
        told.add(waits.key());
      }
    }
    return told;
  }
}
