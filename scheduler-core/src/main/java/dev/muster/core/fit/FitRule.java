package dev.muster.core.fit;

import dev.muster.core.cluster.Node;

/// May it go there? A rule looks at what a node says of itself, not at who is on it: its veto
/// stands however empty the node is.
@FunctionalInterface
public interface FitRule {
  /// The verdict on a member of this kind on this node.
  Verdict check(Ask ask, Node node);
}
