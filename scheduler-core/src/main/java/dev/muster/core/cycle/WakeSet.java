package dev.muster.core.cycle;

import dev.muster.core.admission.QuotaGate;
import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import dev.muster.core.state.WaitingGangs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Whom a step is to try: the gangs that the event itself concerns, and the classes of waiting
/// gangs whose remedy it brings. No other gang can start now that could not before: a class waits
/// for room on some node, for its quota, or for what is planned to change.
///
/// @param own gangs to try whatever they wait for
/// @param classes classes of which the first gang is to be tried, and the next as long as they fit
/// @param roomier the nodes that offer more
/// @param unheld those of the classes whose remedy is not room alone
/// @param outdated classes that there is more room for, but not enough: no gang of theirs can
///   start, but their answers read otherwise now
record WakeSet(
    NavigableSet<GangId> own,
    Set<WaitClass.Key> classes,
    List<NodeId> roomier,
    Set<WaitClass.Key> unheld,
    Set<WaitClass.Key> outdated) {
  /// Up to so many outdated answers are given anew at once; more of them at the ticks to come.
  private static final int ANSWERED_AT_ONCE = 16;

  /// No gang's turn.
  static final WakeSet NOBODYS =
      new WakeSet(Collections.emptyNavigableSet(), Set.of(), List.of(), Set.of(), Set.of());

  boolean isEmpty() {
    return own.isEmpty() && classes.isEmpty() && outdated.isEmpty();
  }

  /// Whether it is one gang's and nobody else's.
  boolean isOfOne() {
    return own.size() == 1 && classes.isEmpty();
  }

  /// The turn that an event brings, after upkeep.
  static WakeSet of(Cycle cycle) {
    Event event = cycle.event();
    State before = cycle.before();
    State state = cycle.state();
    TreeSet<GangId> own = new TreeSet<>();
    for (GangId gang :
        cycle.result().touched()) { // one, as a rule: a copy would be made ready for many
      own.add(gang);
    }
    if (event instanceof Event.OfGang said) {
      own.add(said.gang());
    }
    if (event instanceof Event.Synced) {
      own.addAll(state.cluster().gangs().keys());
    }
    if (event instanceof Event.NodeSeen(_, var node)) {
      mates(node.id(), state, own);
    } else if (event instanceof Event.NodeGone(_, NodeId node)) {
      mates(node, state, own);
    }
    hurried(before.history(), state, own);
    if (!state.waiting().timed().isEmpty()) {
      own.removeIf(gang -> rests(gang, state));
    }
    if (event instanceof Event.Tick(Instant now, _)) {
      due(now, state.waiting(), own);
    }
    return woken(own, before, state, cycle.policies().quota()).with(cycle.result().doubted());
  }

  /// The turn of those that wait for the room that the turn just taken gave back: plans that were
  /// lost or moved. No gang loses its whole plan twice in one step, so these turns end.
  static WakeSet again(State before, State after, QuotaGate quota) {
    return woken(new TreeSet<>(), before, after, quota);
  }

  // ---- Mates ----

  /// Adds the gangs that run on a node which changed or went: where, and on which model, their
  /// others have to go hangs on it.
  private static void mates(NodeId node, State state, NavigableSet<GangId> own) {
    for (WaitClass waits : state.waiting().classes()) {
      Gang gang = state.cluster().gang(waits.first());
      if (gang.boundCount() > 0 && gang.members().any(m -> isOn(node, m))) {
        own.add(gang.id());
      }
    }
  }

  private static boolean isOn(NodeId node, Member member) {
    return member.node().filter(node::equals).isPresent();
  }

  // ---- Time ----

  /// A gang that was released rests, whatever is seen of it meanwhile.
  private static boolean rests(GangId gang, State state) {
    return state
        .waiting()
        .timed()
        .get(gang)
        .filter(at -> state.isReleased(gang) && state.cluster().now().isBefore(at))
        .isPresent();
  }

  private static void due(Instant now, WaitingGangs waiting, NavigableSet<GangId> own) {
    for (GangId gang : waiting.timed().keys()) {
      if (!now.isBefore(waiting.timed().get(gang).orElseThrow())) {
        own.add(gang);
      }
    }
  }

  // ---- What is learnt ----

  /// Adds the gangs that wait for what is planned for others and of which it is known only now that
  /// they run so short: they may pass, though nothing has come free.
  private static void hurried(RuntimeHistory earlier, State state, NavigableSet<GangId> own) {
    var learnt = state.history().byLineage().differences(earlier.byLineage());
    if (learnt.isEmpty()) {
      return;
    }
    Set<String> lineages = new TreeSet<>();
    learnt.forEach(changed -> lineages.add(changed.key()));
    for (WaitClass waits : state.waiting().classes()) {
      for (GangId id : isHeldUp(waits) ? waits.gangs() : List.<GangId>of()) {
        Gang gang = state.cluster().gang(id);
        if (gang.spec().filter(spec -> lineages.contains(spec.lineage())).isPresent()
            && isShorter(state.history().expected(gang), earlier.expected(gang))) {
          own.add(id);
        }
      }
    }
  }

  private static boolean isHeldUp(WaitClass waits) {
    return waits.why().main().filter(Veto.WouldDelay.class::isInstance).isPresent();
  }

  private static boolean isShorter(Optional<Duration> now, Optional<Duration> before) {
    return now.isPresent() && (before.isEmpty() || now.get().compareTo(before.get()) < 0);
  }

  // ---- Room ----

  /// The nodes that offer more than in the earlier image, those that were not there included.
  private static List<NodeState> roomier(Cluster earlier, Cluster later) {
    List<NodeState> roomier = new ArrayList<>();
    for (var node : later.nodes().differences(earlier.nodes())) {
      node.now()
          .filter(now -> node.before().isEmpty() || offersMore(node.before().get(), now))
          .ifPresent(roomier::add);
    }
    return roomier;
  }

  /// Binding a pod where it was promised to go frees nothing.
  private static boolean offersMore(NodeState old, NodeState now) {
    return !old.node().equals(now.node())
        || !old.unpromised().covers(now.unpromised())
        || !old.free().covers(now.free());
  }

  /// Adds the classes that may find room on one of the nodes; where plans changed, also those that
  /// they kept from starting; where quota came free, those of the queues.
  private static WakeSet woken(
      NavigableSet<GangId> own, State before, State state, QuotaGate quota) {
    if (state.waiting().classes().isEmpty()) {
      return own.isEmpty() ? NOBODYS : new WakeSet(own, Set.of(), List.of(), Set.of(), Set.of());
    }
    Cluster earlier = before.cluster();
    Set<WaitClass.Key> woken = new LinkedHashSet<>();
    Set<WaitClass.Key> unheld = new LinkedHashSet<>();
    List<NodeState> roomier = roomier(earlier, state.cluster());
    boolean replanned =
        !state.cluster().holds().equals(earlier.holds())
            || isReranked(earlier, state.cluster())
            || isShorter(state.history().usual(), before.history().usual());
    parted(earlier, state, own);
    Set<String> queues = quota.freed(earlier, state.cluster());
    boolean isFreed = !queues.isEmpty();
    Set<WaitClass.Key> outdated = new LinkedHashSet<>();
    if (!roomier.isEmpty() || replanned || isFreed) {
      Headroom headroom = new Headroom(state.cluster());
      List<NodeState> remade = roomier.stream().filter(node -> isRemade(earlier, node)).toList();
      for (WaitClass waits : state.waiting().classes()) {
        if ((replanned && isHeldUp(waits)) || (isFreed && queues.contains(waits.key().queue()))) {
          unheld.add(waits.key());
        } else if (waits.findsRoomOnAny(mayHope(waits, state, quota) ? roomier : remade)) {
          (headroom.mayHold(waits.need()) ? woken : outdated).add(waits.key());
        }
      }
    }
    if (outdated.size() <= ANSWERED_AT_ONCE) {
      woken.addAll(outdated);
      outdated.clear();
    }
    woken.addAll(unheld);
    return new WakeSet(own, woken, roomier.stream().map(NodeState::id).toList(), unheld, outdated);
  }

  /// Whether room on the nodes that there are may be enough. That none of them would do is not to
  /// be believed once nodes have changed.
  private static boolean mayHope(WaitClass waits, State state, QuotaGate quota) {
    return waits.hasHope() || state.waiting().doubtful().contains(waits.key()) || !quota.isOpen();
  }

  /// Adds the waiting gangs that are not answered with their class any more, because room is held
  /// for them now, or are again: else an older mate's answer would stand for one whose own place
  /// comes free.
  private static void parted(Cluster earlier, State state, NavigableSet<GangId> own) {
    for (var hold : state.cluster().holds().differences(earlier.holds())) {
      boolean parted = hold.before().isEmpty() || hold.now().isEmpty();
      if (parted && state.waiting().seats().contains(hold.key())) {
        own.add(hold.key());
      }
    }
  }

  /// Whether the node is new, or says something else of itself.
  private static boolean isRemade(Cluster earlier, NodeState node) {
    return earlier.nodes().get(node.id()).filter(old -> old.node().equals(node.node())).isEmpty();
  }

  /// Whether a gang for which room is held may stand lower than it did: those above it need not
  /// heed what is held for it.
  private static boolean isReranked(Cluster earlier, Cluster later) {
    for (GangId held : later.holds().keys()) {
      Gang before = earlier.gang(held);
      Gang now = later.gang(held);
      if (before.priority() != now.priority() || !before.queue().equals(now.queue())) {
        return true;
      }
    }
    return false;
  }

  /// Both turns in one.
  WakeSet and(WakeSet other) {
    TreeSet<GangId> gangs = new TreeSet<>(own);
    gangs.addAll(other.own);
    return new WakeSet(
        gangs,
        both(classes, other.classes),
        List.copyOf(both(roomier, other.roomier)),
        both(unheld, other.unheld),
        both(outdated, other.outdated));
  }

  private static <T> Set<T> both(Collection<T> some, Collection<T> others) {
    Set<T> all = new LinkedHashSet<>(some);
    all.addAll(others);
    return all;
  }

  private WakeSet with(List<WaitClass.Key> doubted) {
    return doubted.isEmpty()
        ? this
        : new WakeSet(own, both(classes, doubted), roomier, both(unheld, doubted), outdated);
  }

  /// Whether a class that was woken may still find room where there was more: others may have taken
  /// it meanwhile.
  boolean helps(WaitClass waits, Cluster now) {
    for (NodeId node : roomier) {
      if (now.nodes().get(node).filter(waits::findsRoomOn).isPresent()) {
        return true;
      }
    }
    return unheld.contains(waits.key());
  }
}
