package dev.muster.core.gang;

/// The name of a node.
public record NodeId(String name) implements Comparable<NodeId> {
  public NodeId {
    if (name.isBlank()) {
      throw new IllegalArgumentException("A node has no name.");
    }
  }

  @Override
  public int compareTo(NodeId other) {
    return name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return name;
  }
}
