package dev.muster.core.node;

import dev.muster.core.gang.Resources;
import dev.muster.core.topology.FreeGpus;
import dev.muster.core.topology.MachineModel;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The capacity that a node offers to new members.
///
/// Nodes with equal free capacity differ for a member only by domain, name and labels, so a search
/// examines one of them for all. The order has no meaning, but it is stable and cheap to compute.
///
/// @param kind the kind of the node
/// @param gpus free whole GPUs
/// @param free all free resources
/// @param shared free thousandths of each shared GPU, fewest first
/// @param machine links between its GPUs, if known
/// @param gpuSet the free GPUs
public record FreeCapacity(
    NodeKind kind,
    int gpus,
    Resources free,
    List<Integer> shared,
    Optional<MachineModel> machine,
    FreeGpus gpuSet)
    implements Comparable<FreeCapacity> {
  private static final int MOST_TOLD_APART = 14;

  private static final Comparator<FreeCapacity> RARE =
      Comparator.<FreeCapacity, String>comparing(each -> each.shared.toString())
          .thenComparing(each -> each.machine.map(MachineModel::name).orElse(""))
          .thenComparing(each -> each.gpuSet.toString());

  /// Returns the mark of nodes with this number of free GPUs.
  ///
  /// It is one bit for each number. The last bit stands for all greater numbers.
  public static int mark(int gpus) {
    return 1 << Math.min(gpus, MOST_TOLD_APART);
  }

  /// Returns the marks of all nodes with at least this number of free GPUs.
  ///
  /// For a great number the last bit also covers some nodes with fewer.
  public static int marksFrom(int gpus) {
    return -mark(gpus) & (mark(MOST_TOLD_APART) << 1) - 1;
  }

  @Override
  public int compareTo(FreeCapacity other) {
    int side = Integer.compare(gpus, other.gpus);
    side = side != 0 ? side : Integer.compare(kind.hashCode(), other.kind.hashCode());
    side = side != 0 ? side : Integer.compare(free.hashCode(), other.free.hashCode());
    side = side != 0 ? side : kind.compareTo(other.kind);
    side = side != 0 ? side : free.compareTo(other.free);
    boolean common = shared.equals(other.shared) && machine.equals(other.machine);
    return side != 0 || (common && gpuSet.equals(other.gpuSet)) ? side : RARE.compare(this, other);
  }
}
