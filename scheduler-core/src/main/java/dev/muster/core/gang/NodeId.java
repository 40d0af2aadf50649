package dev.muster.core.gang;

import org.jspecify.annotations.Nullable;

/// The name of a node.
public record NodeId(String name) implements Comparable<NodeId> {
  public NodeId {
    if (name.isBlank()) {
      throw new IllegalArgumentException("A node has no name.");
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof NodeId that && name.equals(that.name));
  }

  @Override
  public int hashCode() {
    return name.hashCode();
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
