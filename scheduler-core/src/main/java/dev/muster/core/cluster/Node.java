package dev.muster.core.cluster;

import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a node says of itself.
///
/// @param id its name
/// @param labels its labels
/// @param allocatable what pods may use in all
/// @param gpus how many of the allocatable pieces are GPUs
/// @param model the kind of its GPUs
/// @param taints its taints
/// @param cordoned whether it is marked unschedulable
/// @param faults why it may take nothing now, `NotReady` or a fault condition's name; empty when it
///   is well
public record Node(
    NodeId id,
    SortedMap<String, String> labels,
    Resources allocatable,
    int gpus,
    GpuModel model,
    List<Taint> taints,
    boolean cordoned,
    List<String> faults) {
  public Node {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    faults = List.copyOf(faults);
  }

  /// The value that a requirement on this key is to be compared with; null when the node has none.
  public @Nullable String value(String key) {
    return key.equals(Requirement.NODE_NAME) ? id.name() : labels.get(key);
  }
}
