package dev.muster.core.node;

import dev.muster.core.gang.Resources;
import dev.muster.core.topology.DomainPath;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Nodes that are alike in all that they say of themselves, but for their labels: a request that
/// names no labels is refused by all of them or by none, as far as it is not for what is on them.
///
/// Large amounts, as of memory, differ a little between nodes of one make: they count as alike if
/// their first six binary digits are.
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

  /// The kind of a node that lies in this place.
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

  /// One node of the kind.
  public Node example() {
    return example;
  }

  /// The name of their GPU model.
  public String model() {
    return example.model().name();
  }

  /// How many GPUs each of them has.
  public int gpus() {
    return example.gpus();
  }

  /// Whether each of them, were it empty, has this much.
  public boolean allHave(Resources needed) {
    return least.covers(needed);
  }

  /// Whether none of them, were it empty, has this much.
  public boolean noneHas(Resources needed) {
    return !most.covers(needed);
  }

  @Override
  public int compareTo(NodeKind other) {
    return this == other ? 0 : key.compareTo(other.key);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // nodes keep their kind: mostly it is the same object
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
