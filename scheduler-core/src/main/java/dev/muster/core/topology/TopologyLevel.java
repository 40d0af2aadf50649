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
          "A topology level with label \"" + label + "\" has no name. Maybe call it \"rack\".");
    }
    boolean isNode = name.equals("node");
    if (isNode && !label.isEmpty()) {
      throw new IllegalArgumentException(
          "Topology level \"node\" must not have a label, but has \""
              + label
              + "\". Maybe leave the level out: the node is always the innermost level.");
    }
    if (!isNode && label.isBlank()) {
      throw new IllegalArgumentException(
          "Topology level \""
              + name
              + "\" has no label. Maybe you meant a node label key like"
              + " topology.kubernetes.io/zone.");
    }
  }

  @Override
  public String toString() {
    return label.isEmpty() ? name : name + "=" + label;
  }
}
