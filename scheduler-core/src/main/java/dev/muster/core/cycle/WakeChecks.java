package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.WaitClass;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Wake checks compare waiting classes with nodes that offer more, in one stage of a step.
///
/// *Goals:* an event costs a bounded time, however many classes of however many namespaces wait,
/// whatever they select, and on however many nodes it releases capacity. The limit of one namespace
/// delays no others, except their gangs in a class whose oldest gang is of that namespace.
///
/// *Algorithm:* the conditions that are compared count for the namespace of a class, which is that
/// of its oldest gang. Namespaces have equal parts of [#ALL], and none more than [#OF_ONE]. Once
/// its part is used, the classes of a namespace are passed over: they become doubtful, and ticks
/// search them, a few at a time.
///
/// *Example:* promises end on 2,500 nodes. 2,500 classes of `a` wait for other nodes. About 400 of
/// them are compared with each of these nodes. The only class of `b` is compared as well.
final class WakeChecks {
  /// The conditions at which the checks of a namespace end. They take up to a quarter of a second.
  private static final long OF_ONE = 6_000_000;

  /// The conditions at which the checks of all namespaces end.
  private static final long ALL = 4 * OF_ONE;

  /// The conditions that count for a node with enough free: its GPU model, taints and health.
  private static final int ALWAYS = 4;

  private final Map<String, Long> byNamespace = new TreeMap<>();
  private long part = OF_ONE;
  private long compared;

  /// Gives an equal part to each namespace of these classes.
  void share(Iterable<WaitClass> waiting) {
    for (WaitClass waits : waiting) {
      byNamespace.putIfAbsent(waits.first().namespace(), 0L);
    }
    part = Math.min(OF_ONE, ALL / Math.max(1, byNamespace.size()));
  }

  /// True if the class may be compared with more nodes.
  boolean permits(WaitClass waits) {
    return used(waits) < part;
  }

  private long used(WaitClass waits) {
    return byNamespace.getOrDefault(waits.first().namespace(), 0L);
  }

  /// True if one of the nodes has capacity for a member, as defined by [#fitsOn]. Also false if the
  /// part of the namespace ends before one is found; then [#permits] is false.
  boolean findsRoomOnAny(WaitClass waits, List<NodeState> nodes) {
    return isAny(waits, nodes, node -> fitsOn(waits, node));
  }

  /// True if one of the nodes still has capacity for a member. Also false if the part of the
  /// namespace ends.
  boolean findsRoomOnAny(WaitClass waits, List<NodeId> nodes, Cluster now) {
    return isAny(waits, nodes, id -> now.nodes().contains(id, node -> fitsOn(waits, node)));
  }

  /// True if one of the nodes with capacity for a member may have enough for a gang. It may have,
  /// if a gang can be on several nodes. Also false if the part of the namespace ends.
  boolean findsRoomForAllOnAny(WaitClass waits, List<NodeState> nodes) {
    return isAny(waits, nodes, node -> waits.need().mayFitOn(node) && fitsOn(waits, node));
  }

  private <N> boolean isAny(WaitClass waits, List<N> nodes, Predicate<N> fits) {
    long left = part - used(waits);
    boolean found = false;
    for (int i = 0; i < nodes.size() && !found && compared < left; i++) {
      found = fits.test(nodes.get(i));
    }
    byNamespace.merge(waits.first().namespace(), compared, Long::sum);
    compared = 0;
    return found;
  }

  /// True if a node matches a member of these gangs and has capacity for it. Withheld capacity
  /// counts as free. Only on such a node can more free capacity help the gangs.
  private boolean fitsOn(WaitClass waits, NodeState node) {
    for (MemberRequirements ask : waits.asks()) {
      compared++;
      if (node.unpromised().covers(ask.request().resources())) {
        compared += ALWAYS + ask.request().selection().conditions();
        if (LastingRules.veto(ask, node.node()).isEmpty()) {
          return true;
        }
      }
    }
    return false;
  }
}
