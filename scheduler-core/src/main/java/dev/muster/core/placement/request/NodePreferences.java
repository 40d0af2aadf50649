package dev.muster.core.placement.request;

import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeKind;
import java.util.ArrayList;
import java.util.List;

/// The unmet preferences of members on a node: preferred node affinity and `PreferNoSchedule`.
///
/// The measure is a sum over the members. Each adds the weights of the preferred terms that the
/// node does not meet, and [#TAINT] for each taint that advises against the node.
///
/// Example: a member prefers zone a with weight 60 and local disks with weight 20. On a node of
/// zone b with local disks 60 is unmet. On a tainted node of zone a without local disks it is 20 +
/// 150.
public final class NodePreferences {
  /// The measure of one taint. kube-scheduler weighs taints and affinity 3 to 2 by default, and the
  /// weights of affinity go up to 100.
  private static final long TAINT = 150;

  private final KindCounts members;
  private final boolean ofLabels;
  private final boolean ofTaints;

  NodePreferences(KindCounts members, DomainCapacity capacity) {
    this.members = members;
    this.ofLabels =
        members.kinds().stream().anyMatch(kind -> !kind.selection().preferred().isEmpty());
    this.ofTaints = areTainted(capacity);
  }

  private boolean areTainted(DomainCapacity capacity) {
    for (DomainCapacity.Histogram nodes : capacity.byKind()) {
      if (ofTaints(nodes.kind()) > 0) {
        return true;
      }
    }
    return false;
  }

  /// True if some node may have unmet preferences.
  boolean matter() {
    return ofLabels || ofTaints;
  }

  /// True if nodes of one kind may differ.
  public boolean areOfLabels() {
    return ofLabels;
  }

  /// Returns what is unmet for all members together, as far as labels of the node decide it.
  public long ofLabels(Node node) {
    long unmet = 0;
    for (int kind = 0; ofLabels && kind < members.kinds().size(); kind++) {
      unmet += members.counts().get(kind) * ofLabels(node, members.kinds().get(kind).selection());
    }
    return unmet;
  }

  /// Returns what is unmet for all members together, as far as taints of the nodes decide it.
  public long ofTaints(NodeKind nodes) {
    long unmet = 0;
    for (int kind = 0; kind < members.kinds().size(); kind++) {
      unmet +=
          members.counts().get(kind)
              * ofTaints(nodes.example(), members.kinds().get(kind).selection());
    }
    return unmet;
  }

  /// Returns what is unmet for one member of each kind; empty if no preferences matter.
  public List<Long> ofEach(Node node) {
    if (!matter()) {
      return List.of();
    }
    List<Long> each = new ArrayList<>();
    for (Request kind : members.kinds()) {
      each.add(ofLabels(node, kind.selection()) + ofTaints(node, kind.selection()));
    }
    return each;
  }

  private static long ofLabels(Node node, NodeSelection selection) {
    long unmet = 0;
    for (PreferredTerm term : selection.preferred()) {
      unmet += isMet(term, node) ? 0 : term.weight();
    }
    return unmet;
  }

  private static boolean isMet(PreferredTerm term, Node node) {
    for (Requirement requirement : term.all()) {
      if (!requirement.holdsFor(node.value(requirement.key()))) {
        return false;
      }
    }
    return true;
  }

  private static long ofTaints(Node node, NodeSelection selection) {
    long unmet = 0;
    for (Taint taint : node.taints()) {
      unmet += selection.isAdvisedAgainstBy(taint) ? TAINT : 0;
    }
    return unmet;
  }
}
