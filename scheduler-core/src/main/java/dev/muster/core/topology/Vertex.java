package dev.muster.core.topology;

/// A place where links of the interconnect end.
///
/// Vertices are ordered by kind (GPUs, nodes, domains, switches), then by index, name or path.
public sealed interface Vertex extends Comparable<Vertex> {
  /// A GPU within one machine, counted from 0 in the order of the driver.
  record Gpu(int index) implements Vertex {}

  /// A node of the cluster.
  record Node(String name) implements Vertex {}

  /// The switch of a topology domain, or several switches taken as one.
  record Domain(DomainPath path) implements Vertex {}

  /// A switch without a topology level: a rail, a spine, an NVSwitch, a PCIe root.
  record Switch(String name) implements Vertex {}

  /// True if it relays traffic of all gangs. GPUs and nodes only relay traffic of their own gang.
  default boolean relays() {
    return switch (this) {
      case Gpu _, Node _ -> false;
      case Domain _, Switch _ -> true;
    };
  }

  @Override
  default int compareTo(Vertex other) {
    return switch (this) {
      case Gpu(int index) when other instanceof Gpu(int index2) -> Integer.compare(index, index2);
      case Node(String name) when other instanceof Node(String name2) -> name.compareTo(name2);
      case Domain(DomainPath path) when other instanceof Domain(DomainPath path2) ->
          path.compareTo(path2);
      case Switch(String name) when other instanceof Switch(String name2) -> name.compareTo(name2);
      case Gpu _, Node _, Domain _, Switch _ -> Integer.compare(kind(this), kind(other));
    };
  }

  private static int kind(Vertex vertex) {
    return switch (vertex) {
      case Gpu _ -> 0;
      case Node _ -> 1;
      case Domain _ -> 2;
      case Switch _ -> 3;
    };
  }
}
