package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PodRequestsTest {
  private static Map<String, Long> of(String spec) {
    return PodRequests.of(Yaml.pod("metadata: {name: p}\nspec:\n" + spec.indent(2)).getSpec())
        .asMap();
  }

  @Test
  void sumsContainersAndAddsOnePod() {
    assertThat(
            of(
                """
                containers:
                - {name: a, resources: {requests: {cpu: 1500m, memory: 1Gi}}}
                - {name: b, resources: {requests: {cpu: "2"}, limits: {nvidia.com/gpu: "4"}}}
                """))
        .isEqualTo(Map.of("cpu", 3500L, "memory", 1L << 30, "nvidia.com/gpu", 4L, "pods", 1L));
  }

  @Test
  void largestInitContainerCountsWhereItExceedsTheRest() {
    assertThat(
            of(
                """
                initContainers:
                - {name: fetch, resources: {requests: {cpu: "8", memory: 1Mi}}}
                containers:
                - {name: a, resources: {requests: {cpu: "2", memory: 2Mi}}}
                """))
        .isEqualTo(Map.of("cpu", 8000L, "memory", 2L << 20, "pods", 1L));
  }

  /// sidecar 1 + main 4 = 5; but the init container after the sidecar runs beside it: 1 + 6 = 7;
  /// the one before it alone: 6.
  @Test
  void sidecarsRunBesideEverythingThatStartsAfterThem() {
    String late =
        """
        initContainers:
        - {name: mesh, restartPolicy: Always, resources: {requests: {cpu: "1"}}}
        - {name: fetch, resources: {requests: {cpu: "6"}}}
        containers:
        - {name: a, resources: {requests: {cpu: "4"}}}
        """;
    String early =
        """
        initContainers:
        - {name: fetch, resources: {requests: {cpu: "6"}}}
        - {name: mesh, restartPolicy: Always, resources: {requests: {cpu: "1"}}}
        containers:
        - {name: a, resources: {requests: {cpu: "4"}}}
        """;

    assertThat(of(late)).containsEntry("cpu", 7000L);
    assertThat(of(early)).containsEntry("cpu", 6000L);
  }

  @Test
  void overheadComesOnTop() {
    assertThat(
            of(
                """
                overhead: {cpu: 250m}
                containers: [{name: a, resources: {requests: {cpu: "1"}}}]
                """))
        .containsEntry("cpu", 1250L);
  }

  @Test
  void podLevelRequestsReplaceTheContainersForCpuAndMemoryOnly() {
    assertThat(
            of(
                """
                resources: {requests: {cpu: "10", nvidia.com/gpu: "1"}}
                overhead: {cpu: "1"}
                containers: [{name: a, resources: {requests: {cpu: "1", nvidia.com/gpu: "8"}}}]
                """))
        .isEqualTo(Map.of("cpu", 11000L, "nvidia.com/gpu", 8L, "pods", 1L));
  }
}
