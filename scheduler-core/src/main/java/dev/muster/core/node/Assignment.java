package dev.muster.core.node;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;

/// One member on one node.
public record Assignment(Member member, NodeId node) {}
