package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.parse.FieldSelection;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Of a pod for which there is no memory, little is kept: what it holds and where.
class ObjectOutlineTest {
  private static final ObjectOutline OUTLINE =
      ObjectOutline.of(OwnerKinds.with(List.of()), List.of("nvidia.com/gpu"));

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
    TrimmedStore<Pod> store = TrimmedStore.ofPods(0, OUTLINE);
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

  /// Returns the pod as a store without space keeps it.
  private static Pod stored(Pod pod) {
    TrimmedStore.ofPods(0, new ObjectOutline(OUTLINE.names(), Set.of("example.com/accelerator")))
        .put("ml/p", pod);
    return pod;
  }

  private static Pod pod(String node) {
    Pod pod = new Pod();
    Map<String, String> texts =
        IntStream.range(0, 20)
            .boxed()
            .collect(Collectors.toMap(i -> "muster.dev/x" + i, _ -> "x".repeat(4_000)));
    pod.setMetadata(
        new ObjectMetaBuilder().withNamespace("ml").withName("p").withAnnotations(texts).build());
    pod.setSpec(new PodSpecBuilder().withNodeName(node).build());
    pod.setStatus(new PodStatusBuilder().withPhase("Running").build());
    return pod;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "scheduling.x-k8s.io/pod-group",
        "muster.dev/queue",
        "kueue.x-k8s.io/queue-name",
        "jobset.sigs.k8s.io/jobset-name",
        "leaderworkerset.sigs.k8s.io/group-index",
        "training.kubeflow.org/replica-type",
        "ray.io/cluster"
      })
  void label_of_gang_queue_or_owner_is_kept_before_shorter_ones(String key) {
    Pod pod = pod("n1");
    Map<String, String> labels = new HashMap<>(Map.of(key, "v".repeat(63)));
    IntStream.range(0, 300).forEach(i -> labels.put("a%019d".formatted(i), ""));
    pod.getMetadata().setLabels(labels);

    assertThat(stored(pod).getMetadata().getLabels()).containsEntry(key, "v".repeat(63));
  }

  @Test
  void gpus_are_kept_before_shorter_resources() {
    Pod pod = pod("n1");
    Container container = new ContainerBuilder().withNewResources().endResources().build();
    Map<String, Quantity> requests = new HashMap<>();
    IntStream.range(0, 100).forEach(i -> requests.put("a/%02d".formatted(i), new Quantity("1")));
    requests.put("example.com/accelerator", new Quantity("8"));
    requests.put("deviceclass.resource.kubernetes.io/gpu.example.com", new Quantity("2"));
    requests.put("memory", new Quantity("1Gi"));
    container.getResources().setRequests(requests);
    pod.getSpec().setContainers(List.of(container));

    assertThat(stored(pod).getSpec().getContainers().getFirst().getResources().getRequests())
        .hasSize(64)
        .containsKeys(
            "example.com/accelerator",
            "deviceclass.resource.kubernetes.io/gpu.example.com",
            "memory");
  }

  private static List<PodResourceClaim> claims() {
    return Collections.nCopies(100, new PodResourceClaim("mine", "a", null));
  }

  @Test
  void claims_are_kept_only_of_a_pod_that_holds_them() {
    Pod placed = pod("n1");
    placed.getSpec().setResourceClaims(claims());
    Pod waiting = pod("");
    waiting.getSpec().setResourceClaims(claims());

    assertThat(stored(placed).getSpec().getResourceClaims()).hasSize(100);
    assertThat(stored(waiting).getSpec().getResourceClaims()).hasSize(1);
  }

  @Test
  void few_short_conditions_are_kept_with_those_that_are_read() {
    Pod pod = pod("n1");
    List<PodCondition> conditions = new ArrayList<>();
    IntStream.range(0, 300)
        .forEach(i -> conditions.add(new PodConditionBuilder().withType("x" + i).build()));
    conditions.add(
        new PodConditionBuilder().withType("Ready").withMessage("m".repeat(10_000)).build());
    pod.getStatus().setConditions(conditions);

    assertThat(stored(pod).getStatus().getConditions())
        .hasSize(16)
        .first()
        .satisfies(ready -> {
          assertThat(ready.getType()).isEqualTo("Ready");
          assertThat(ready.getMessage()).hasSize(1_024);
        });
  }

  /// A gang of thousands of pods has a long record while it starts.
  @Test
  void record_of_a_gang_needs_no_space_of_large_groups() {
    GenericKubernetesResource group =
        Yaml.group("metadata: {namespace: ml, name: train}\nspec: {minMember: 2000}");
    group.getMetadata().setAnnotations(Map.of("muster.dev/reservation", "x".repeat(100_000)));
    TrimmedStore.ofGroups(_ -> {}, 0, 1 << 20).put("ml/train", group);

    assertThat(ObjectBudget.excess(group)).isEmpty();
    assertThat(group.getAdditionalProperties()).containsKey("spec");
  }

  @Test
  void of_the_status_of_a_group_only_what_is_read_is_kept() {
    GenericKubernetesResource group =
        Yaml.group(
            """
            metadata: {namespace: ml, name: train}
            status:
              phase: Running
              scheduleStartTime: %s
              other: {a: b}
              conditions: [%s {type: Admitted, status: "True", message: %s}]
            """
                .formatted("x".repeat(5_000), "{type: x}, ".repeat(100), "x".repeat(5_000)));
    group.getMetadata().setAnnotations(Map.of("muster.dev/x", "x".repeat(100_000)));
    group.getMetadata().setAdditionalProperty("muster.dev/bytes", 1L << 20);
    TrimmedStore.ofGroups(_ -> {}, 0, 0).put("ml/train", group);

    assertThat(group.getAdditionalProperties())
        .containsExactly(
            Map.entry(
                "status",
                Map.of(
                    "phase",
                    "Running",
                    "conditions",
                    List.of(Map.of("type", "Admitted", "status", "True")))));
  }

  @Test
  void group_without_space_for_its_record_is_valid_without_it() {
    GenericKubernetesResource group =
        Yaml.group("metadata: {namespace: ml, name: train}\nspec: {minMember: 2000}");
    group.getMetadata().setAnnotations(Map.of("muster.dev/reservation", "x".repeat(100_000)));
    TrimmedStore.ofGroups(_ -> {}, 1 << 20, 0).put("ml/train", group);

    assertThat(ObjectBudget.excess(group)).isEmpty();
    assertThat(group.getAdditionalProperties()).containsKey("spec");
    assertThat(group.getMetadata().getAnnotations()).isEmpty();
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
