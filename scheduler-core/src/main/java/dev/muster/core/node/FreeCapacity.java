package dev.muster.core.node;

import dev.muster.core.gang.Resources;
import dev.muster.core.topology.FreeGpus;
import dev.muster.core.topology.MachineModel;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// What a node offers now: nodes that offer the same differ for a member by their place, name and
/// labels only, so that one of them is looked at for all.
///
/// The order has no meaning, but is the same every time and quickly found.
///
/// @param kind the nodes that are like it
/// @param gpus free whole GPUs
/// @param free all that is free
/// @param shared thousandths free on each shared GPU, fewest first
/// @param machine how its GPUs are joined, if known
/// @param gpuSet which GPUs are free
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

  /// The mark of nodes with so many free GPUs: a bit for each number, the last for all that are
  /// greater.
  public static int mark(int gpus) {
    return 1 << Math.min(gpus, MOST_TOLD_APART);
  }

  /// The marks of all nodes with at least so many free GPUs, and of some with fewer where that is a
  /// great number.
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
