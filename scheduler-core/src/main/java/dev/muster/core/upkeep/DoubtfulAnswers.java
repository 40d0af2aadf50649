package dev.muster.core.upkeep;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.fit.Veto;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import dev.muster.core.state.WaitingGangs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Doubtful answers are reasons to wait that may read otherwise now, though no gang can start.
///
/// They are noted when a node changes or a promise is kept, and a few of them are asked again at
/// every tick, so that an event costs no more than what it changes.
public final class DoubtfulAnswers {
  /// So many classes in doubt are asked again at a tick.
  private static final int ASKED_AT_A_TICK = 32;

  private DoubtfulAnswers() {}

  /// The cycle with the answers in doubt noted; at a tick, with some of them to be asked again.
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
            && before.nodes().get(node.id()).filter(n -> n.node().equals(node)).isEmpty());
  }

  private static int promises(Cluster cluster, Event.OfGang said) {
    Optional<Reservation> held = cluster.reservations().get(said.gang());
    return held.isPresent() ? held.get().promises().size() : 0;
  }

  /// The classes that were told of a promise to another gang. A pod that is bound where it was
  /// promised to go frees nothing, so that it wakes no gang; but the promise is there no more.
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
