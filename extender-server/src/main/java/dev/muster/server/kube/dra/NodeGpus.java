package dev.muster.server.kube.dra;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import java.util.Optional;
import java.util.SortedSet;

/// The GPUs that ResourceSlices offer on one node.
///
/// @param offered counts by resource name, including the resources of selections
/// @param free indexes of the unallocated GPUs; absent if any GPU has no index of its own
/// @param model GPU model, if all of them have one model
public record NodeGpus(Resources offered, Optional<SortedSet<Integer>> free, GpuModel model) {
  /// The value for a node without ResourceSlices of GPUs.
  public static final NodeGpus NONE =
      new NodeGpus(Resources.NONE, Optional.empty(), GpuModel.UNKNOWN);
}
