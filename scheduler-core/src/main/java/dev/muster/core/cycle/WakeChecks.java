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

/// Wake checks compare waiting classes with nodes that offer more, in one stage of a step.
///
/// *Goals:* an event costs a bounded time for each namespace, however many of its classes wait,
/// whatever they select, and on however many nodes it releases capacity. The limit of one namespace
/// delays no others, except their gangs in a class whose oldest gang is of that namespace.
///
/// *Algorithm:* the conditions that are compared count for the namespace of a class, which is that
/// of its oldest gang. Beyond [#CONDITIONS] the other classes of the namespace are passed over:
/// they become doubtful, and ticks search them, a few at a time.
///
/// *Example:* promises end on 2,500 nodes. 2,500 classes of `a` wait for other nodes. About 400 of
/// them are compared with each of these nodes. The only class of `b` is compared as well.
final class WakeChecks {
  /// The conditions at which the checks of a namespace end. They take a quarter of a second.
  private static final long CONDITIONS = 6_000_000;

  /// The conditions that count for a node with enough free: its GPU model, taints and health.
  private static final int ALWAYS = 4;

  private final Map<String, Long> byNamespace = new TreeMap<>();
  private long compared;

  /// True if the class may be compared with nodes.
  boolean permits(WaitClass waits) {
    return byNamespace.getOrDefault(waits.first().namespace(), 0L) < CONDITIONS;
  }

  /// True if one of the nodes has capacity for a member, as defined by [#fitsOn].
  boolean findsRoomOnAny(WaitClass waits, List<NodeState> nodes) {
    boolean found = false;
    for (int i = 0; i < nodes.size() && !found; i++) {
      found = fitsOn(waits, nodes.get(i));
    }
    return counted(waits, found);
  }

  /// True if one of the nodes still has capacity for a member.
  boolean findsRoomOnAny(WaitClass waits, List<NodeId> nodes, Cluster now) {
    boolean found = false;
    for (int i = 0; i < nodes.size() && !found; i++) {
      found = now.nodes().contains(nodes.get(i), node -> fitsOn(waits, node));
    }
    return counted(waits, found);
  }

  /// True if one of the nodes with capacity for a member may have enough for a gang. It may have,
  /// if a gang can be on several nodes.
  boolean findsRoomForAllOnAny(WaitClass waits, List<NodeState> nodes) {
    boolean found = false;
    for (int i = 0; i < nodes.size() && !found; i++) {
      found = waits.need().mayFitOn(nodes.get(i)) && fitsOn(waits, nodes.get(i));
    }
    return counted(waits, found);
  }

  private boolean counted(WaitClass waits, boolean found) {
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
