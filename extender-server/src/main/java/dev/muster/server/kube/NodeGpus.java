package dev.muster.server.kube;

import dev.muster.core.cluster.GpuModel;
import dev.muster.core.gang.Resources;
import java.util.Optional;
import java.util.SortedSet;

/// The GPUs that ResourceSlices offer on one node.
///
/// @param offered how many, by the resource names that they count as, those of selections included
/// @param free the indexes of those that no claim has; absent where a GPU has no index of its own
/// @param model their model, as far as all of them are told to be of one
public record NodeGpus(Resources offered, Optional<SortedSet<Integer>> free, GpuModel model) {
  /// Of a node for which there is no ResourceSlice with GPUs.
  public static final NodeGpus NONE =
      new NodeGpus(Resources.NONE, Optional.empty(), GpuModel.UNKNOWN);
}
