package dev.muster.core.node;

import dev.muster.core.gang.Resources;
import dev.muster.core.topology.DomainPath;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Nodes that are equal in everything they state about themselves, except labels.
///
/// A request without label requirements is refused by all nodes of a kind or by none, unless their
/// load is the reason. Large amounts, such as memory, differ a little between nodes of one product.
/// They count as equal if their first six binary digits are equal.
public final class NodeKind implements Comparable<NodeKind> {
  private static final int DIGITS = 5;

  private final String key;
  private final Node example;
  private final Resources least;
  private final Resources most;

  private NodeKind(String key, Node example, Resources least, Resources most) {
    this.key = key;
    this.example = example;
    this.least = least;
    this.most = most;
  }

  /// Returns the kind of a node in this domain.
  static NodeKind of(Node node, DomainPath path) {
    TreeMap<String, Long> least = new TreeMap<>();
    TreeMap<String, Long> most = new TreeMap<>();
    node.allocatable()
        .asMap()
        .forEach((name, amount) -> {
          long step = Math.max(1, Long.highestOneBit(Math.max(0, amount)) >> DIGITS);
          least.put(name, amount - Math.floorMod(amount, step));
          most.put(name, amount - Math.floorMod(amount, step) + step - 1);
        });
    StringBuilder key = new StringBuilder(node.model().name()).append('|').append(node.gpus());
    key.append('|').append(node.model().kind()).append('|').append(node.cordoned());
    path.values().forEach(value -> key.append(value.isEmpty() ? '-' : '+'));
    key.append(least).append(node.faults());
    node.taints().forEach(taint -> key.append(taint).append(':').append(taint.effect()));
    return new NodeKind(key.toString(), node, Resources.of(least), Resources.of(most));
  }

  /// Returns one node of the kind.
  public Node example() {
    return example;
  }

  /// Returns the name of their GPU model.
  public String model() {
    return example.model().name();
  }

  /// Returns the number of GPUs of each node.
  public int gpus() {
    return example.gpus();
  }

  /// True if each of them has these resources when empty.
  public boolean allHave(Resources needed) {
    return least.covers(needed);
  }

  /// True if none of them has these resources when empty.
  public boolean noneHas(Resources needed) {
    return !most.covers(needed);
  }

  @Override
  public int compareTo(NodeKind other) {
    return this == other ? 0 : key.compareTo(other.key);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // nodes keep their kind, so it is usually one object
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof NodeKind that && key.equals(that.key));
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }

  @Override
  public String toString() {
    return key;
  }
}
