package dev.muster.core.placement.oracle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.LinkedHashMap;
import java.util.Map;

/// A shape of expected request, which a node may or may not fit.
///
/// @param gpus whole GPUs
/// @param gpuMilli thousandths of one more GPU
/// @param cpu thousandths of a core
/// @param memory bytes
/// @param choice the models that will do
record PuzzleShape(int gpus, int gpuMilli, long cpu, long memory, GpuModelPreference choice) {
  private static final long STRANDED = 16;

  private static final Map<PuzzleShape, Integer> UNKNOWN =
      Map.of(ofGpus(1), 1, ofGpus(2), 1, ofGpus(4), 1, ofGpus(8), 1);

  private static PuzzleShape ofGpus(int gpus) {
    return new PuzzleShape(gpus, 0, 0, 0, GpuModelPreference.ANY);
  }

  static PuzzleShape of(Gang gang, Request request) {
    return new PuzzleShape(
        request.gpus(),
        request.gpuMilli(),
        request.resources().get(Resources.CPU),
        request.resources().get(Resources.MEMORY),
        request.wantsGpu() ? gang.constraints().gpus() : GpuModelPreference.ANY);
  }

  /// The expected mix: the shapes of all known members with GPUs, with how many there are of each.
  static Map<PuzzleShape, Integer> mix(Cluster cluster) {
    Map<PuzzleShape, Integer> mix = new LinkedHashMap<>();
    for (Gang gang : cluster.gangs()) {
      for (Member member : gang.members()) {
        if (member.request().wantsGpu()) {
          mix.merge(of(gang, member.request()), 1, Integer::sum);
        }
      }
    }
    return mix.isEmpty() ? UNKNOWN : mix;
  }

  /// Thousandths of free GPUs of which a request of this shape has no use. Those count [#STRANDED]
  /// times that it cannot use only because cores or memory are short. A request for the whole node
  /// is expected with each that accepts its model.
  long unusable(OracleCapacity room) {
    boolean accepted = choice.accepts(room.model());
    boolean whole = room.gpus() == room.installed();
    return unusableByShape(room, accepted) + (accepted && !whole ? room.freeMilli() : 0);
  }

  private long unusableByShape(OracleCapacity room, boolean accepted) {
    if (!accepted || !hasGpus(room)) {
      return room.freeMilli();
    }
    if (room.free().get(Resources.CPU) < cpu || room.free().get(Resources.MEMORY) < memory) {
      return STRANDED * room.freeMilli();
    }
    int needed = gpus > 0 ? 1000 : gpuMilli;
    return room.parts().stream().filter(free -> free < needed).mapToInt(Integer::intValue).sum();
  }

  private boolean hasGpus(OracleCapacity room) {
    boolean part =
        gpuMilli == 0 || room.gpus() > 0 || room.parts().stream().anyMatch(f -> f >= gpuMilli);
    return part && room.gpus() >= gpus;
  }
}
