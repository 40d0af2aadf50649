package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.watch.TrimmedStore;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PodRequestsTest {
  private static Map<String, Long> of(String spec) {
    return whole("metadata: {name: p}\nspec:\n" + spec.indent(2));
  }

  /// Returns the requests of a pod read from the informer's store.
  private static Map<String, Long> whole(String yaml) {
    Pod pod = Yaml.pod(yaml);
    TrimmedStore.ofPods().put("p", pod);
    return PodRequests.of(pod).asMap();
  }

  /// A container that runs with 2 cores and was given 3; its spec says this.
  private static Map<String, Long> resized(String cpu, String condition) {
    return whole(
        """
        metadata: {name: p}
        spec:
          containers:
          - {name: a, resources: {requests: {cpu: "%s", memory: 1Mi}}}
          - {name: b, resources: {requests: {cpu: "1"}}}
        status:
          conditions: [%s]
          containerStatuses:
          - {name: b, allocatedResources: {cpu: "1"}, resources: {requests: {cpu: "1"}}}
          - name: a
            allocatedResources: {cpu: "3", memory: 1Mi}
            resources: {requests: {cpu: "2", memory: 1Mi}}
        """
            .formatted(cpu, condition));
  }

  @Test
  void resized_container_counts_the_maximum_of_requested_allocated_and_actual() {
    assertThat(resized("1", "")).containsEntry("cpu", 4000L);
    assertThat(resized("4", "")).containsEntry("cpu", 5000L);
    assertThat(resized("4", "{type: PodResizePending, status: \"True\", reason: Deferred}"))
        .containsEntry("cpu", 5000L);
  }

  @Test
  void request_beyond_the_node_capacity_is_not_counted() {
    assertThat(resized("900", "{type: PodResizePending, status: \"True\", reason: Infeasible}"))
        .isEqualTo(Map.of("cpu", 4000L, "memory", 1L << 20, "pods", 1L));
  }

  /// A pod that as a whole has 2 cores and was given 3; its spec says this.
  private static Map<String, Long> resizedAsAWhole(String cpu, String condition) {
    return whole(
        """
        metadata: {name: p}
        spec:
          resources: {requests: {cpu: "%s", memory: 1Mi}}
          containers: [{name: a}]
        status:
          conditions: [%s]
          allocatedResources: {cpu: "3", memory: 1Mi}
          resources: {requests: {cpu: "2", memory: 1Mi}}
        """
            .formatted(cpu, condition));
  }

  @Test
  void pod_level_resize_counts_the_maximum_of_requested_allocated_and_actual() {
    assertThat(resizedAsAWhole("1", "")).containsEntry("cpu", 3000L);
    assertThat(resizedAsAWhole("4", "")).containsEntry("cpu", 4000L);
    assertThat(
            resizedAsAWhole(
                "900", "{type: PodResizePending, status: \"True\", reason: Infeasible}"))
        .isEqualTo(Map.of("cpu", 3000L, "memory", 1L << 20, "pods", 1L));
  }

  @Test
  void resized_sidecar_counts_its_actual_resources() {
    assertThat(
            whole(
                """
                metadata: {name: p}
                spec:
                  initContainers:
                  - {name: proxy, restartPolicy: Always, resources: {requests: {cpu: "1"}}}
                  - {name: fetch, resources: {requests: {cpu: "1"}}}
                  containers:
                  - {name: a, resources: {requests: {cpu: "1"}}}
                status:
                  initContainerStatuses:
                  - {name: proxy, resources: {requests: {cpu: "5"}}}
                  - {name: fetch, resources: {requests: {cpu: "9"}}}
                """))
        .containsEntry("cpu", 6000L);
  }

  @Test
  void sums_containers_and_adds_one_pod() {
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
  void largest_init_container_counts_where_it_exceeds_the_rest() {
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
  void sidecars_run_beside_all_later_containers() {
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
  void overhead_is_added() {
    assertThat(
            of(
                """
                overhead: {cpu: 250m}
                containers: [{name: a, resources: {requests: {cpu: "1"}}}]
                """))
        .containsEntry("cpu", 1250L);
  }

  @Test
  void pod_level_requests_replace_the_containers_for_cpu_and_memory_only() {
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
