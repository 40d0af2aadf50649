package dev.muster.simulator.run.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.State;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.record.Rental;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;

/// The cloud nodes of a run: they join when gangs wait for them, and leave when they are unused.
///
/// Goals: the behaviour of an autoscaler that decides as the scheduler does.
///
/// Constraints: a node takes time to join, and is paid from the time of the request.
///
/// Algorithm: every ten seconds, as in the Cluster Autoscaler, if gangs wait and anything has
/// happened since the last look:
///
/// 1. The engine is shown, on a copy of the state, the nodes that are on their way.
/// 2. It is then shown the absent nodes one by one, in the order of the fleet, until no gang waits.
/// 3. Absent nodes on which it would start a member are requested.
/// 4. Present nodes on which it would start a member stay while gangs wait, at least until the next
///    look.
///
/// Any other node leaves after it was idle for the time that its pool states. After many nodes in a
/// row were paid without use, none is requested until another event happens. Otherwise a gang that
/// needs more nodes than are ever present at one time would keep the run going endlessly.
///
/// Example: two gangs of 8 GPUs wait, and there are three cloud nodes of 8 GPUs. The engine would
/// start the first gang on the first node and the second gang on the second node. The third node is
/// not examined. Two nodes are requested.
final class CloudNodes {
  private static final long LOOK_MILLIS = Duration.ofSeconds(10).toMillis();
  private static final long NEVER = Long.MAX_VALUE;

  /// The number of nodes that may leave unused in a row.
  private static final int MOST_IN_VAIN = 1_000;

  private final Fleet fleet;
  private final Engine engine;
  private final SequencedMap<NodeId, Spot> spots = new LinkedHashMap<>();
  private final List<Rental> ended = new ArrayList<>();
  private Set<NodeId> counted = Set.of(); // nodes on which waiting gangs would start
  private int inVain;
  private boolean stirred;
  private long looked = -LOOK_MILLIS;

  /// The state of one cloud node; times are -1 where they do not apply.
  private static final class Spot {
    private final int node;
    private final NodeId id;
    private long asked = -1;
    private long joined = -1;
    private long idleSince = -1;
    private boolean used;

    Spot(int node, NodeId id) {
      this.node = node;
      this.id = id;
    }

    boolean isAbsent() {
      return asked < 0;
    }

    boolean isComing() {
      return asked >= 0 && joined < 0;
    }

    boolean isThere() {
      return joined >= 0;
    }

    void clear() {
      asked = -1;
      joined = -1;
      idleSince = -1;
      used = false;
    }
  }

  CloudNodes(Fleet fleet, Engine engine) {
    this.fleet = fleet;
    this.engine = engine;
    for (int i = 0; i < fleet.nodes().size(); i++) {
      NodeId id = fleet.nodes().get(i).id();
      if (fleet.isOnDemand(i)) {
        spots.put(id, new Spot(i, id));
      }
    }
  }

  /// Records an event that can make gangs wait, or let them start elsewhere.
  void invalidate() {
    stirred = true;
    inVain = 0;
  }

  /// Records a step: nodes became idle or used, joined or left.
  void stepped(State before, State after, long millis) {
    if (spots.isEmpty()) {
      return;
    }
    for (var node : after.cluster().nodes().differences(before.cluster().nodes())) {
      Spot spot = spots.get(node.key());
      stirred |= node.before().isEmpty() || node.now().isEmpty();
      if (spot != null && spot.isThere()) {
        boolean idle = node.now().filter(CloudNodes::isIdle).isPresent();
        spot.used |= !idle;
        spot.idleSince = !idle ? -1 : spot.idleSince < 0 ? millis : spot.idleSince;
      }
    }
  }

  private static boolean isIdle(NodeState node) {
    return node.bound().shares().isEmpty() && node.kept().shares().isEmpty();
  }

  /// Returns the time at which a node next joins or leaves, or at which demand is examined. Never,
  /// if none of this is due.
  long nextAt(State state, long millis) {
    boolean waiting = isAwaited(state);
    long next = NEVER;
    for (Spot spot : spots.values()) {
      next = Math.min(next, spot.isComing() ? joins(spot) : leaves(spot, waiting));
    }
    boolean looks = stirred && waiting && !spots.isEmpty();
    return looks ? Math.min(next, Math.max(nextLook(millis), looked + LOOK_MILLIS)) : next;
  }

  private static long nextLook(long millis) {
    return Math.ceilDiv(millis, LOOK_MILLIS) * LOOK_MILLIS;
  }

  private long joins(Spot spot) {
    return spot.asked + fleet.terms(spot.id).joinDelay().toMillis();
  }

  private long leaves(Spot spot, boolean waiting) {
    boolean counts = waiting && counted.contains(spot.id);
    return spot.isThere() && spot.idleSince >= 0 && !counts
        ? spot.idleSince + fleet.terms(spot.id).leaveAfter().toMillis()
        : NEVER;
  }

  /// Returns the nodes that join now.
  List<Integer> joining(long millis) {
    List<Integer> nodes = new ArrayList<>();
    for (Spot spot : spots.values()) {
      if (spot.isComing() && joins(spot) <= millis) {
        spot.joined = millis;
        spot.idleSince = millis;
        nodes.add(spot.node);
      }
    }
    return nodes;
  }

  private static boolean isAwaited(State state) {
    return !state.waiting().classes().isEmpty();
  }

  /// Returns the nodes that leave now.
  List<Integer> leaving(State state, long millis) {
    boolean waiting = isAwaited(state);
    List<Integer> nodes = new ArrayList<>();
    for (Spot spot : spots.values()) {
      if (leaves(spot, waiting) <= millis) {
        leave(spot, millis);
        nodes.add(spot.node);
      }
    }
    return nodes;
  }

  private void leave(Spot spot, long millis) {
    ended.add(new Rental(spot.node, spot.asked, spot.joined, millis));
    inVain += spot.used ? 0 : 1;
    spot.clear();
  }

  /// Removes a failed cloud node for good; another may be requested in its place.
  ///
  /// @return true if it was present
  boolean fail(int node, long millis) {
    Spot spot = spots.get(fleet.nodes().get(node).id());
    if (spot == null || !spot.isThere()) {
      return false;
    }
    leave(spot, millis);
    return true;
  }

  /// Requests the nodes on which gangs would start.
  void look(State state, Instant at, long millis) {
    if (!stirred || millis < looked + LOOK_MILLIS || millis % LOOK_MILLIS != 0) {
      return;
    }
    stirred = false;
    looked = millis;
    counted = inVain < MOST_IN_VAIN ? wanted(state, at) : Set.of();
    for (Spot spot : spots.values()) {
      if (spot.isAbsent() && counted.contains(spot.id)) {
        spot.asked = millis;
      }
    }
  }

  private Set<NodeId> wanted(State state, Instant at) {
    State then = state;
    for (Spot spot : spots.values()) {
      then = spot.isComing() ? with(then, spot, at) : then;
    }
    for (Spot spot : spots.values()) {
      then = isAwaited(then) && spot.isAbsent() ? with(then, spot, at) : then;
    }
    Set<NodeId> promised = new HashSet<>();
    for (Reservation reservation : then.cluster().reservations()) {
      for (Promise promise : reservation.promises()) {
        promised.add(promise.node());
      }
    }
    return promised;
  }

  private State with(State state, Spot spot, Instant at) {
    return engine.step(state, new Event.NodeSeen(at, fleet.nodes().get(spot.node))).after();
  }

  /// Returns the paid periods, in order of their ends. Nodes that are present or on their way are
  /// paid until now.
  List<Rental> rentals(long millis) {
    List<Rental> all = new ArrayList<>(ended);
    for (Spot spot : spots.values()) {
      if (!spot.isAbsent()) {
        all.add(new Rental(spot.node, spot.asked, spot.joined, millis));
      }
    }
    return all;
  }
}
