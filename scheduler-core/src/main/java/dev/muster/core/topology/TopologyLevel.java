package dev.muster.core.topology;

/// One level of the topology. Nodes with equal values of `label`, below one outer domain, are in
/// one domain of this level.
///
/// @param name a common word for the level (zone, block, rack, nvlink); never blank
/// @param label the node label key from which the level is read; empty only for [#NODE]
public record TopologyLevel(String name, String label) {

  /// The innermost level of every topology: the node itself, which needs no label.
  public static final TopologyLevel NODE = new TopologyLevel("node", "");

  public TopologyLevel {
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "The topology level with label \"%s\" has no name.".formatted(label));
    }
    boolean isNode = name.equals("node");
    if (isNode && !label.isEmpty()) {
      throw new IllegalArgumentException(
          "Topology level \"node\" has the label \"%s\"; it must have none. It is always the innermost level and need not be listed."
              .formatted(label));
    }
    if (!isNode && label.isBlank()) {
      throw new IllegalArgumentException(
          "Topology level \"%s\" has no label. It needs a node label key, for example topology.kubernetes.io/zone."
              .formatted(name));
    }
  }

  @Override
  public String toString() {
    return label.isEmpty() ? name : name + "=" + label;
  }
}
