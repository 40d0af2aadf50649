package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.ResourceKind.Change;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Objects of any size, read into a bounded part.
class BoundedReadTest {
  private static final String GPU = "nvidia.com/gpu";
  private static final String META = "'metadata': {'name': 'p', 'namespace': 'ns', 'uid': 'u'}";
  private static final PodCodec CODEC =
      new PodCodec(
          List.of(GPU), Set.of("default-scheduler"), _ -> new ReadResult.Good<>(Resources.NONE));

  private static <T extends HasMetadata> T read(String json, Class<T> type) {
    try (JsonParser parser = ObjectTrimmer.mapper().createParser(json.replace('\'', '"'))) {
      return ObjectTrimmer.read(parser, type, ObjectTrimmer.selection(type));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Pod pod(String spec) {
    return read("{%s, 'spec': {%s}}".formatted(META, spec), Pod.class);
  }

  private static String times(int count, String entry) {
    return IntStream.range(0, count).mapToObj(entry::formatted).collect(Collectors.joining(", "));
  }

  // ---- What is skipped is named ----

  @ParameterizedTest
  @CsvSource({
    "'tolerations': [%s], {'key': 'k%d'}, field spec.tolerations",
    "'schedulingGates': [%s], {'name': 'g%d'}, field spec.schedulingGates",
    "'nodeSelector': {%s}, 'k%d': 'v', field spec.nodeSelector",
    "'overhead': {%s}, 'k%d': '1', field spec.overhead",
  })
  void pod_of_which_a_part_was_skipped_is_beyond_its_budget(
      String field, String entry, String named) {
    Pod pod = pod(field.formatted(times(20_000, entry)));

    assertThat(ObjectBudget.excess(pod).orElseThrow()).contains("The " + named + " is too large");
  }

  /// The number of entries that were read is not the number that there are.
  @Test
  void entries_are_not_counted_where_a_part_was_skipped() {
    Pod pod =
        read(
            "{'metadata': {'name': 'p', 'ownerReferences': [%s]}, 'spec': {}}"
                .formatted(times(20_000, "{'name': 'o%d'}")),
            Pod.class);

    assertThat(ObjectBudget.excess(pod))
        .hasValue(
            "The field metadata.ownerReferences is too large; at most 196608 bytes of memory are used for it.");
  }

  @Test
  void group_of_which_a_part_was_skipped_is_beyond_its_budget() {
    GenericKubernetesResource group =
        read(
            "{%s, 'spec': {'a': [%s], 'minMember': 2}}".formatted(META, times(100_000, "%d")),
            GenericKubernetesResource.class);

    assertThat(ObjectBudget.excess(group))
        .hasValue(
            "The field spec.a is too large; at most 4194304 bytes of memory are used for it.");
  }

  @Test
  void nobody_can_say_that_a_part_was_skipped() {
    Pod pod =
        read("{'metadata': {'name': 'p', 'muster.dev/cut': {'spec.a': 1}}, 'spec': {}}", Pod.class);

    assertThat(ObjectTrimmer.cut(pod)).isEmpty();
  }

  @Test
  void name_and_node_are_read_whatever_else_the_pod_has() {
    Pod pod =
        read(
            "{'metadata': {'ownerReferences': [%s], 'labels': {%s}, 'name': 'p'}, 'spec': {'schedulingGates': [%s], 'nodeName': 'n1'}}"
                .formatted(
                    times(20_000, "{'name': 'o%d'}"),
                    times(20_000, "'k%d': 'v'"),
                    times(20_000, "{'name': 'g%d'}")),
            Pod.class);

    assertThat(pod.getMetadata().getName()).isEqualTo("p");
    assertThat(pod.getSpec().getNodeName()).isEqualTo("n1");
  }

  @Test
  void all_devices_of_a_slice_are_read() {
    String attributes = times(32, "'a%d': {'string': 'v'}").replace("%", "%%");
    String devices = times(128, "{'name': 'd%d', 'attributes': {" + attributes + "}}");

    ResourceSlice slice =
        read("{%s, 'spec': {'devices': [%s]}}".formatted(META, devices), ResourceSlice.class);

    assertThat(slice.getSpec().getDevices())
        .hasSize(128)
        .allSatisfy(device -> assertThat(device.getAttributes()).hasSize(32));
  }

  // ---- A pod on a node holds what all of its containers request ----

  private static String container(String requests) {
    return "{'name': 'c', 'resources': {'requests': {%s}}}".formatted(requests);
  }

  private static long gpus(String spec) {
    Pod pod = pod("'schedulerName': 'default-scheduler', 'nodeName': 'n1', " + spec);
    pod.setStatus(new PodStatusBuilder().withPhase("Running").build());
    return CODEC.read(pod) instanceof PodFact.Ours(Member member, _, _, _)
        ? member.request().gpus()
        : 0;
  }

  @Test
  void gpus_of_containers_beyond_the_limit_count() {
    String many = times(600, container("'cpu': '1'").replace("%", "%%"));
    String two = container("'%s': '2'".formatted(GPU));

    assertThat(gpus("'containers': [%s, %s, %s]".formatted(many, two, two))).isEqualTo(4);
  }

  @Test
  void gpus_of_init_containers_beyond_the_limit_count_once() {
    String many = times(600, container("'cpu': '1'"));
    String two = container("'%s': '2'".formatted(GPU));

    assertThat(gpus("'initContainers': [%s, %s, %s]".formatted(many, two, two))).isEqualTo(2);
  }

  @Test
  void gpus_after_thousands_of_zeros_count() {
    String zeros = times(5_000, "'a%d.example': '0'");

    assertThat(
            gpus("'containers': [%s]".formatted(container(zeros + ", '%s': '8'".formatted(GPU)))))
        .isEqualTo(8);
  }

  @Test
  void pod_with_more_containers_than_its_budget_is_beyond_it() {
    Pod pod = pod("'containers': [%s]".formatted(times(600, "{'name': 'c%d'}")));

    assertThat(ObjectBudget.excess(pod))
        .hasValue("The field spec.containers has more than 500 containers.");
  }

  // ---- No object ends the watch of all ----

  static Stream<String> strangeValues() {
    return Stream.of(
        "[".repeat(5_000) + "]".repeat(5_000), "{'%s': 1}".formatted("k".repeat(60_000)));
  }

  @ParameterizedTest
  @MethodSource("strangeValues")
  void object_with_any_name_and_depth_is_read(String value) {
    GenericKubernetesResource owner =
        read(
            "{%s, 'spec': {'strange': %s, 'replicas': 2}}".formatted(META, value),
            GenericKubernetesResource.class);

    assertThat(owner.<Integer>get("spec", "replicas")).isEqualTo(2);
  }

  // ---- Changes of a watch ----

  @AutoClose private final ScriptedApi api = new ScriptedApi();
  @AutoClose private final KubernetesClient client = api.client();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type': 'ADDED', 'object': {'metadata': {'name': 'p'}}}",
        "{'object': {'metadata': {'name': 'p'}}, 'type': 'ADDED'}"
      })
  void change_is_read_in_any_order_of_its_fields(String line) throws IOException {
    Change change = Change.of(line.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    Pod pod = ResourceKind.of("pods", client, "/api/v1/pods", Pod.class).read(change).object();

    assertThat(change.type()).isEqualTo("ADDED");
    assertThat(pod.getMetadata().getName()).isEqualTo("p");
  }
}
