package dev.muster.server.kube.codec;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import java.util.List;
import java.util.Set;

/// Pods as YAML, and the facts that are read from them.
abstract class PodCodecScene {
  static final PodCodec CODEC =
      new PodCodec(
          List.of("nvidia.com/gpu"),
          Set.of("default-scheduler"),
          _ -> new ReadResult.Good<>(Resources.NONE));

  /// The status of a pod that has a node by a binding, or whose node the kubelet has accepted.
  static final String ACCEPTED = "conditions: [{type: PodScheduled, status: 'True'}]";

  /// A pod of one 8-GPU container with more lines in metadata, spec and status.
  static String yaml(String metadata, String spec, String status) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {namespace: ml, name: train-3, uid: u3, creationTimestamp: "2026-11-01T10:00:00Z"%s}
    spec:
      schedulerName: default-scheduler
      priority: 100
      containers:
      - {name: c, resources: {requests: {cpu: "2", nvidia.com/gpu: "8"}, limits: {nvidia.com/gpu: "8"}}}
    %s
    status:
      phase: Pending
    %s
    """
        .formatted(
            metadata.isEmpty() ? "" : ", " + metadata,
            spec.indent(2).stripTrailing(),
            status.indent(2));
  }

  static PodFact.Ours ours(String metadata, String spec, String status) {
    return ours(yaml(metadata, spec, status));
  }

  static PodFact.Ours ours(String yaml) {
    return switch (CODEC.read(Yaml.pod(yaml))) {
      case PodFact.Ours ours -> ours;
      case PodFact.Unmanaged _, PodFact.Nothing _, PodFact.Stray _, PodFact.Unreadable _ ->
          throw new AssertionError("Not ours: " + CODEC.read(Yaml.pod(yaml)));
    };
  }
}
