package dev.muster.core.node;

import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The data that a node states about itself.
///
/// @param id its name
/// @param labels its labels
/// @param allocatable total resources that pods may use
/// @param gpus number of allocatable pieces that are GPUs
/// @param model model of its GPUs
/// @param taints its taints
/// @param cordoned whether it is marked unschedulable
/// @param faults reasons why it accepts no pods now, `NotReady` or the name of a fault condition;
///   empty for a healthy node
/// @param freeGpus indexes of the unused GPUs as stated by an agent on the node; absent without an
///   agent. They may be outdated: the number of free GPUs comes from the pods seen.
public record Node(
    NodeId id,
    SortedMap<String, String> labels,
    Resources allocatable,
    int gpus,
    GpuModel model,
    List<Taint> taints,
    boolean cordoned,
    List<String> faults,
    Optional<SortedSet<Integer>> freeGpus) {
  /// The fault of a node whose kubelet does not report that it is ready.
  public static final String NOT_READY = "NotReady";

  public Node {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    faults = List.copyOf(faults);
    freeGpus = freeGpus.map(TreeSet::new).map(Collections::unmodifiableSortedSet);
  }

  /// Creates a node without an agent that states the free GPUs.
  public Node(
      NodeId id,
      SortedMap<String, String> labels,
      Resources allocatable,
      int gpus,
      GpuModel model,
      List<Taint> taints,
      boolean cordoned,
      List<String> faults) {
    this(id, labels, allocatable, gpus, model, taints, cordoned, faults, Optional.empty());
  }

  /// True if its kubelet reports that it is ready.
  public boolean isReady() {
    return !faults.contains(NOT_READY);
  }

  /// Returns the node with these faults in place of its own.
  public Node withFaults(List<String> others) {
    return new Node(id, labels, allocatable, gpus, model, taints, cordoned, others, freeGpus);
  }

  /// True if the node is in a domain of the level with this label. An empty value names none.
  public boolean liesIn(String levelLabel) {
    return !labels.getOrDefault(levelLabel, "").isEmpty();
  }

  /// Returns the value to compare with a requirement on this key, or null if the node has none.
  public @Nullable String value(String key) {
    return key.equals(Requirement.NODE_NAME) ? id.name() : labels.get(key);
  }
}
