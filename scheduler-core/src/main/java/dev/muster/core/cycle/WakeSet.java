package dev.muster.core.cycle;

import dev.muster.core.admission.BudgetGate;
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

/// A wake set is the gangs to try in a step: those of the event, and classes it may help.
///
/// No other gang can have a new chance to start: a class waits for capacity on some node, for its
/// quota, or for a change of a plan.
///
/// @param own gangs to try whatever they wait for
/// @param classes classes with a first gang to try, and the next as long as they fit
/// @param nodesWithMoreCapacity nodes that offer more capacity than before
/// @param unheld classes among them with a remedy other than capacity
/// @param outdated classes with more capacity, but not enough: none of their gangs can start, but
///   the text of their answers changes
/// @param unchecked classes that were not compared with these nodes ([WakeChecks])
record WakeSet(
    NavigableSet<GangId> own,
    Set<WaitClass.Key> classes,
    List<NodeId> nodesWithMoreCapacity,
    Set<WaitClass.Key> unheld,
    Set<WaitClass.Key> outdated,
    Set<WaitClass.Key> unchecked) {
  /// The number of outdated answers renewed at once; the others follow at later ticks.
  private static final int ANSWERED_AT_ONCE = 16;

  /// A wake set without gangs.
  static final WakeSet EMPTY = of(Collections.emptyNavigableSet());

  private static WakeSet of(NavigableSet<GangId> own) {
    return new WakeSet(own, Set.of(), List.of(), Set.of(), Set.of(), Set.of());
  }

  boolean isEmpty() {
    return own.isEmpty() && classes.isEmpty() && outdated.isEmpty() && unchecked.isEmpty();
  }

  /// True if it has one gang and no class.
  boolean isOfOne() {
    return own.size() == 1 && classes.isEmpty();
  }

  /// Returns the wake set of an event, after upkeep.
  static WakeSet of(Cycle cycle, WakeChecks checks) {
    Event event = cycle.event();
    State before = cycle.before();
    State state = cycle.state();
    TreeSet<GangId> own = new TreeSet<>();
    for (GangId gang : cycle.result().touched()) {
      own.add(gang);
    }
    if (event instanceof Event.OfGang said) {
      own.add(said.gang());
    }
    if (event instanceof Event.Synced) {
      own.addAll(state.cluster().gangs().keys());
    }
    if (event instanceof Event.NodeSeen(_, var node)) {
      addGangsOn(node.id(), state, own);
    } else if (event instanceof Event.NodeGone(_, NodeId node)) {
      addGangsOn(node, state, own);
    }
    hurried(before.history(), state, own);
    budgeted(before.cluster(), state, own);
    if (!state.waiting().timed().isEmpty()) {
      own.removeIf(gang -> rests(gang, state));
    }
    if (event instanceof Event.Tick(Instant now, _)) {
      due(now, state.waiting(), own);
    }
    return woken(own, before, state, cycle.policies().quota(), checks)
        .with(cycle.result().doubted());
  }

  /// Returns the gangs that wait for capacity which the last round released by lost or moved plans.
  /// No gang loses its whole plan twice in one step, so these rounds end.
  static WakeSet again(State before, State after, QuotaGate quota, WakeChecks checks) {
    return woken(new TreeSet<>(), before, after, quota, checks);
  }

  // ---- Members beside a changed node ----

  /// Adds the waiting gangs that run in part on a node which changed or left. The domain and GPU
  /// model of their other members depend on it.
  private static void addGangsOn(NodeId node, State state, NavigableSet<GangId> own) {
    for (WaitClass waits : state.waiting().classes()) {
      Gang gang = state.cluster().gang(waits.first());
      if (gang.boundCount() > 0 && gang.members().any(m -> isOn(node, m))) {
        own.add(gang.id());
      }
    }
  }

  private static boolean isOn(NodeId node, Member member) {
    return member.isOn(node);
  }

  // ---- Time ----

  /// True if the gang rests after a release; events about it do not end the rest.
  private static boolean rests(GangId gang, State state) {
    return state
        .waiting()
        .timed()
        .contains(gang, at -> state.isReleased(gang) && state.cluster().now().isBefore(at));
  }

  private static void due(Instant now, WaitingGangs waiting, NavigableSet<GangId> own) {
    for (GangId gang : waiting.timed().keys()) {
      if (!now.isBefore(waiting.timed().get(gang).orElseThrow())) {
        own.add(gang);
      }
    }
  }

  // ---- Budgets ----

  /// Adds waiting gangs with a budget that was used up, or that counts from 0 again.
  private static void budgeted(Cluster before, State state, NavigableSet<GangId> own) {
    Cluster now = state.cluster();
    if (now.spent().equals(before.spent())) {
      return;
    }
    for (GangId id : state.waiting().seats().keys()) {
      Gang gang = now.gang(id);
      if (!BudgetGate.spent(now, gang).equals(BudgetGate.spent(before, gang))) {
        own.add(id);
      }
    }
  }

  // ---- Learnt runtimes ----

  /// Adds gangs that a plan delays and that are now known to run shorter. They may start before the
  /// plan, though no capacity came free.
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

  // ---- Capacity ----

  /// Returns the nodes that offer more than in the earlier image, new nodes included.
  private static List<NodeState> nodesWithMoreCapacity(Cluster earlier, Cluster later) {
    List<NodeState> roomier = new ArrayList<>();
    for (var node : later.nodes().differences(earlier.nodes())) {
      node.now()
          .filter(now -> node.before().isEmpty() || offersMore(node.before().get(), now))
          .ifPresent(roomier::add);
    }
    return roomier;
  }

  /// True if the node has more free capacity. A bound pod that had a promise there frees nothing.
  private static boolean offersMore(NodeState old, NodeState now) {
    return !old.node().equals(now.node())
        || !old.unpromised().covers(now.unpromised())
        || !old.free().covers(now.free());
  }

  /// Adds the classes that may fit on one of the nodes. After a change of plans, it also adds the
  /// classes that those delayed; after a release of quota, the classes of the queues.
  private static WakeSet woken(
      NavigableSet<GangId> own, State before, State state, QuotaGate quota, WakeChecks checks) {
    if (state.waiting().classes().isEmpty()) {
      return own.isEmpty() ? EMPTY : of(own);
    }
    Cluster earlier = before.cluster();
    Set<WaitClass.Key> woken = new LinkedHashSet<>();
    Set<WaitClass.Key> unheld = new LinkedHashSet<>();
    List<NodeState> roomier = nodesWithMoreCapacity(earlier, state.cluster());
    boolean replanned =
        !state.cluster().holds().equals(earlier.holds())
            || isReranked(earlier, state.cluster())
            || isShorter(state.history().usual(), before.history().usual());
    parted(earlier, state, own);
    Set<String> queues = quota.freed(earlier, state.cluster());
    boolean isFreed = !queues.isEmpty();
    Set<WaitClass.Key> outdated = new LinkedHashSet<>();
    Set<WaitClass.Key> unchecked = new LinkedHashSet<>();
    if (!roomier.isEmpty() || replanned || isFreed) {
      Headroom headroom = new Headroom(state.cluster());
      checks.share(state.waiting().classes());
      for (WaitClass waits : state.waiting().classes()) {
        if ((replanned && isHeldUp(waits)) || (isFreed && queues.contains(waits.key().queue()))) {
          unheld.add(waits.key());
        } else if (!roomier.isEmpty() && mayHope(waits, state, quota)) {
          if (checks.findsRoomOnAny(waits, roomier)) {
            boolean mayStart =
                checks.findsRoomForAllOnAny(waits, roomier) && headroom.mayHold(waits.need());
            (mayStart ? woken : outdated).add(waits.key());
          } else if (!checks.permits(waits)) {
            unchecked.add(waits.key());
          }
        }
      }
    }
    if (outdated.size() <= ANSWERED_AT_ONCE) {
      woken.addAll(outdated);
      outdated.clear();
    }
    woken.addAll(unheld);
    List<NodeId> nodes = roomier.stream().map(NodeState::id).toList();
    return new WakeSet(own, woken, nodes, unheld, outdated, unchecked);
  }

  /// True if free capacity may be enough. An answer that no node fits is doubtful once a node is
  /// new or has changed.
  private static boolean mayHope(WaitClass waits, State state, QuotaGate quota) {
    return waits.hasHope() || state.waiting().doubtful().contains(waits.key()) || !quota.isOpen();
  }

  /// Adds waiting gangs that have left their class because they got a hold, or joined it again. The
  /// answer of an older gang in the class would otherwise be used when their own places come free.
  private static void parted(Cluster earlier, State state, NavigableSet<GangId> own) {
    for (var hold : state.cluster().holds().differences(earlier.holds())) {
      boolean parted = hold.before().isEmpty() || hold.now().isEmpty();
      if (parted && state.waiting().seats().contains(hold.key())) {
        own.add(hold.key());
      }
    }
  }

  /// True if a gang with a hold changed its priority or queue. Gangs above it need not respect its
  /// hold.
  private static boolean isReranked(Cluster earlier, Cluster later) {
    for (var gang : later.gangs().differences(earlier.gangs())) {
      Gang before = earlier.gang(gang.key());
      Gang now = later.gang(gang.key());
      boolean isOther = before.priority() != now.priority() || !before.queue().equals(now.queue());
      if (isOther && later.holds().contains(gang.key())) {
        return true;
      }
    }
    return false;
  }

  /// Returns the union of both wake sets.
  WakeSet and(WakeSet other) {
    TreeSet<GangId> gangs = new TreeSet<>(own);
    gangs.addAll(other.own);
    return new WakeSet(
        gangs,
        both(classes, other.classes),
        List.copyOf(both(nodesWithMoreCapacity, other.nodesWithMoreCapacity)),
        both(unheld, other.unheld),
        both(outdated, other.outdated),
        both(unchecked, other.unchecked));
  }

  private static <T> Set<T> both(Collection<T> some, Collection<T> others) {
    Set<T> all = new LinkedHashSet<>(some);
    all.addAll(others);
    return all;
  }

  private WakeSet with(List<WaitClass.Key> doubted) {
    return doubted.isEmpty()
        ? this
        : new WakeSet(
            own,
            both(classes, doubted),
            nodesWithMoreCapacity,
            both(unheld, doubted),
            outdated,
            unchecked);
  }

  /// True if a woken class may still fit on a node that offered more. Earlier attempts may have
  /// used that capacity. Also true if the class may not be compared any more.
  boolean helps(WaitClass waits, Cluster now, WakeChecks checks) {
    return unheld.contains(waits.key())
        || checks.findsRoomOnAny(waits, nodesWithMoreCapacity, now)
        || !checks.permits(waits);
  }
}
