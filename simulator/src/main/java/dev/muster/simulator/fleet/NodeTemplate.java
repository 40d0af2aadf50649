package dev.muster.simulator.fleet;

import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/// The hardware of a type of node.
///
/// @param gpus number of GPUs
/// @param model their model; empty when unknown
/// @param gpuResource name of the GPU resource
/// @param cpuMilli thousandths of cores; absent: unlimited
/// @param memory bytes; absent: unlimited
record NodeTemplate(
    int gpus, String model, String gpuResource, OptionalLong cpuMilli, OptionalLong memory) {
  private static final long PLENTY_CPU = 1L << 30;
  private static final long PLENTY_MEMORY = 1L << 46;
  private static final long PLENTY_PODS = 1L << 20;

  /// The assumption about nodes without a limit of pods.
  static final String UNLIMITED = "The number of pods on a node is not limited.";

  static NodeTemplate of(int gpus, String model, long cpuMilli, long memory) {
    return new NodeTemplate(
        gpus, model, FleetNotation.GPU, OptionalLong.of(cpuMilli), OptionalLong.of(memory));
  }

  /// Returns a type of node with unlimited CPU and memory.
  static NodeTemplate boundless(int gpus, String model) {
    return new NodeTemplate(
        gpus, model, FleetNotation.GPU, OptionalLong.empty(), OptionalLong.empty());
  }

  /// Returns a node name with a five-digit number, independent of the locale.
  static String numbered(String name, int number) {
    String digits = Integer.toString(number);
    return name + '-' + "0".repeat(Math.max(0, 5 - digits.length())) + digits;
  }

  /// Creates a node of this type.
  Node node(String name, Map<String, String> labels) {
    TreeMap<String, String> all = new TreeMap<>(labels);
    all.put("kubernetes.io/hostname", name);
    if (!model.isEmpty()) {
      all.putIfAbsent("nvidia.com/gpu.product", model);
    }
    Resources allocatable =
        Resources.of(
            Map.of(
                gpuResource,
                (long) gpus,
                Resources.CPU,
                cpuMilli.orElse(PLENTY_CPU),
                Resources.MEMORY,
                memory.orElse(PLENTY_MEMORY),
                Resources.PODS,
                PLENTY_PODS));
    GpuModel kind =
        model.isEmpty() ? GpuModel.UNKNOWN : new GpuModel(model, GpuModel.Kind.WHOLE, 0, "");
    return new Node(new NodeId(name), all, allocatable, gpus, kind, List.of(), false, List.of());
  }
}
