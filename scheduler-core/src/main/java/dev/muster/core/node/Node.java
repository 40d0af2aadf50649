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
/// @param freeGpus the indexes of the GPUs that nobody uses, as an agent on it says; absent where
///   none says so. What it says may be late: the books decide how many are free
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
  public Node {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    faults = List.copyOf(faults);
    freeGpus = freeGpus.map(TreeSet::new).map(Collections::unmodifiableSortedSet);
  }

  /// A node of which nobody says which GPUs are free.
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

  /// Whether it lies in a domain of the level that this label tells: an empty value names none.
  public boolean liesIn(String levelLabel) {
    return !labels.getOrDefault(levelLabel, "").isEmpty();
  }

  /// The value that a requirement on this key is to be compared with; null when the node has none.
  public @Nullable String value(String key) {
    return key.equals(Requirement.NODE_NAME) ? id.name() : labels.get(key);
  }
}
