package dev.muster.core.topology;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The node labels that well-known label writers use for their network topology. The node itself is
/// not listed: it is the innermost level of every topology.
public enum TopologyPreset {
  /// The labels that every Kubernetes cloud provider sets.
  UPSTREAM(
      "upstream",
      level("region", "topology.kubernetes.io/region"),
      level("zone", "topology.kubernetes.io/zone")),

  /// Topograph since v0.6. Tier 0 is the nearest to the node and numbers grow outwards. Deeper
  /// fabrics need explicit levels.
  TOPOGRAPH_V1(
      "topograph-v1",
      level("tier-2", "fabric.topograph.run/tier-2"),
      level("tier-1", "fabric.topograph.run/tier-1"),
      level("tier-0", "fabric.topograph.run/tier-0"),
      level("nvlink", "accelerator.topograph.run/domain")),

  /// Topograph up to v0.5.
  TOPOGRAPH_V0(
      "topograph-v0",
      level("core", "network.topology.nvidia.com/core"),
      level("spine", "network.topology.nvidia.com/spine"),
      level("leaf", "network.topology.nvidia.com/leaf"),
      level("nvlink", "network.topology.nvidia.com/accelerator")),

  /// Google Kubernetes Engine; on A4X the subblock is the NVLink domain.
  GKE(
      "gke",
      level("block", "cloud.google.com/gce-topology-block"),
      level("subblock", "cloud.google.com/gce-topology-subblock"),
      level("host", "cloud.google.com/gce-topology-host")),

  /// Amazon EC2. Layer 1 is the farthest from the node, contrary to Topograph's tiers.
  AWS(
      "aws",
      level("spine", "topology.k8s.aws/network-node-layer-1"),
      level("aggregation", "topology.k8s.aws/network-node-layer-2"),
      level("leaf", "topology.k8s.aws/network-node-layer-3"),
      level("ultraserver", "topology.k8s.aws/ultraserver-id")),

  /// Oracle Cloud Infrastructure.
  OCI(
      "oci",
      level("block", "oci.oraclecloud.com/host.network_block_id"),
      level("rack", "oci.oraclecloud.com/host.rack_id")),

  /// CoreWeave.
  COREWEAVE(
      "coreweave",
      level("fabric", "backend.coreweave.cloud/fabric"),
      level("superpod", "backend.coreweave.cloud/superpod"),
      level("leafgroup", "backend.coreweave.cloud/leafgroup"),
      level("rack", "node.coreweave.cloud/rack"),
      level("nvlink", "ds.coreweave.com/nvlink.domain")),

  /// Only the NVLink partition that NVIDIA's GPU Feature Discovery writes, for clusters without any
  /// network label. The label is absent on machines without multi-node NVLink.
  GPU_CLIQUE("gpu-clique", level("nvlink", "nvidia.com/gpu.clique"));

  private final String key;

  @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable list of immutable records
  private final List<TopologyLevel> levels;

  TopologyPreset(String key, TopologyLevel... levels) {
    this.key = key;
    this.levels = List.of(levels);
  }

  /// Returns the name of the preset in the configuration file, for example `topograph-v1`.
  public String key() {
    return key;
  }

  /// Returns the levels outermost first, without the node. The list is unmodifiable and never
  /// empty.
  public List<TopologyLevel> levels() {
    return levels;
  }

  /// Returns the preset with this name in the configuration file, if there is one.
  public static Optional<TopologyPreset> byKey(String key) {
    return Arrays.stream(values()).filter(preset -> preset.key.equals(key)).findFirst();
  }

  private static TopologyLevel level(String name, String label) {
    return new TopologyLevel(name, label);
  }
}
