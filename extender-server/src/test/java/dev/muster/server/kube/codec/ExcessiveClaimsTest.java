package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A pod beyond its budget whose GPUs come by claims counts, and does not start without its gate.
class ExcessiveClaimsTest {
  private static final String GPU = "nvidia.com/gpu";

  private static final PodCodec CODEC =
      new PodCodec(
          List.of(GPU),
          Set.of("default-scheduler"),
          _ -> new ReadResult.Good<>(Resources.of(GPU, 2)),
          _ -> false,
          _ -> Optional.empty());

  /// Returns a pod with more tolerations than its budget has.
  private static Pod pod(String spec) {
    return Yaml.pod(
        """
        metadata: {namespace: ml, name: p, uid: u, creationTimestamp: "2026-11-01T00:00:00Z"}
        spec:
          schedulerName: default-scheduler
          tolerations: [%s]
          %s
        status: {phase: Running}
        """
            .formatted("{key: a, operator: Exists}, ".repeat(200), spec));
  }

  /// Not all claims of such a pod are known.
  @Test
  void pod_with_claims_keeps_its_gate() {
    Pod pod =
        pod(
            """
            schedulingGates: [{name: muster.dev/gang}]
              resourceClaims: [{name: a, resourceClaimName: a}]
            """);
    PodCodec unknown =
        new PodCodec(
            List.of(GPU),
            Set.of("default-scheduler"),
            _ -> new ReadResult.Good<>(Resources.NONE),
            _ -> false,
            _ -> Optional.empty());

    assertThat(unknown.read(pod)).isInstanceOf(PodFact.Unreadable.class);
  }

  @Test
  void lone_pod_on_a_node_counts_with_its_claims() {
    Pod pod = pod("nodeName: n1\n  resourceClaims: [{name: a, resourceClaimName: a}]");

    assertThat(CODEC.read(pod))
        .isInstanceOfSatisfying(
            PodFact.Ours.class,
            ours -> assertThat(ours.member().request().resources().asMap()).containsEntry(GPU, 2L));
  }
}
