package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.parse.FieldSelection;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Of a pod for which there is no memory, little is kept: what it holds and where.
class ObjectOutlineTest {
  private static final PodCodec CODEC =
      new PodCodec(
          List.of("nvidia.com/gpu"),
          Set.of("default-scheduler"),
          _ -> new ReadResult.Good<>(Resources.NONE));

  private static String list(int count, String format) {
    return IntStream.range(0, count)
        .mapToObj(i -> format.formatted(i))
        .collect(Collectors.joining(","));
  }

  /// Returns a pod as a store without space for large pods keeps it. It has many texts, and 300
  /// containers of 10m CPU, one of them with two GPUs.
  private static Pod stored(String spec) throws IOException {
    String json =
        """
        {"kind": "Pod", "apiVersion": "v1",
         "metadata": {"namespace": "ml", "name": "p", "uid": "u",
           "creationTimestamp": "2026-11-01T00:00:00Z", "labels": {
           %s, "scheduling.x-k8s.io/pod-group": "train"}},
         "status": {"phase": "Running"},
         "spec": {"schedulerName": "default-scheduler"%s,
           "schedulingGates": [%s, {"name": "muster.dev/gang"}],
           "overhead": {"cpu": "500m"},
           "initContainers": [{"name": "i", "resources": {"requests": {"memory": "1Gi"}}}],
           "containers": [%s, {"name": "gpu", "resources": {"limits": {"nvidia.com/gpu": 2}}}],
           "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
             {"nodeSelectorTerms": [{"matchExpressions": [
               {"key": "k", "operator": "In", "values": [%s]}]}]}}}}}
        """
            .formatted(
                list(100, "\"example.com/%090d\": \"x\""),
                spec,
                list(100, "{\"name\": \"example.com/%090d\"}"),
                list(299, "{\"name\": \"c%d\", \"resources\": {\"requests\": {\"cpu\": \"10m\"}}}"),
                list(2_000, "\"%032d\""));
    TrimmedStore<Pod> store = TrimmedStore.ofPods(0);
    try (JsonParser parser = ObjectTrimmer.mapper().createParser(json)) {
      store.put("ml/p", ObjectTrimmer.read(parser, Pod.class, FieldSelection.ALL));
    }
    return store.values().findFirst().orElseThrow();
  }

  @Test
  void pod_without_space_takes_some_kilobytes() throws IOException {
    String kept = ObjectTrimmer.mapper().writeValueAsString(stored(""));
    assertThat(kept.length()).isLessThan(8_192);
  }

  @Test
  void pod_on_a_node_still_counts_in_its_gang_with_all_that_it_holds() throws IOException {
    PodFact fact = CODEC.read(stored(", \"nodeName\": \"n1\""));
    assertThat(fact)
        .isInstanceOfSatisfying(
            PodFact.Ours.class,
            ours -> {
              assertThat(ours.member().gang())
                  .isEqualTo(new GangId("ml", GangId.Origin.POD_GROUP, "train"));
              Resources held = ours.member().request().resources();
              assertThat(held.asMap())
                  .containsEntry("nvidia.com/gpu", 2L)
                  .containsEntry("cpu", 299 * 10 + 500L)
                  .containsEntry("memory", 1L << 30)
                  .containsEntry("pods", 1L);
            });
  }

  @Test
  void pod_without_a_node_is_invalid() throws IOException {
    assertThat(CODEC.read(stored("")))
        .isInstanceOfSatisfying(
            PodFact.Unreadable.class,
            invalid ->
                assertThat(invalid.problem().message())
                    .startsWith("The large objects of namespace ml take 0 MiB"));
  }

  /// A tenant could otherwise fill the memory with pods that ended before they started.
  @Test
  void few_statuses_of_an_ended_pod_are_kept() {
    Pod pod = new Pod();
    pod.setMetadata(new ObjectMetaBuilder().withNamespace("ml").withName("p").build());
    pod.setSpec(new PodSpec());
    pod.setStatus(
        new PodStatusBuilder()
            .withPhase("Failed")
            .withContainerStatuses(Collections.nCopies(1_000, new ContainerStatus()))
            .withInitContainerStatuses(Collections.nCopies(1_000, new ContainerStatus()))
            .build());
    TrimmedStore.ofPods().put("ml/p", pod);

    assertThat(pod.getStatus().getContainerStatuses()).hasSize(16);
    assertThat(pod.getStatus().getInitContainerStatuses()).hasSize(16);
  }
}
