package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.PlainText;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ReadResult;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Claims select among GPUs. Two nodes have one model each, a third has both.
class DeviceSelectionTest extends DeviceScene {
  private static final String H100 = "device.attributes['gpu.nvidia.com'].productName == 'H100'";
  private static final String WHERE_H100 = GPU + " where " + H100;
  private static final String LARGE =
      "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0";

  @BeforeEach
  void drawCluster() {
    deviceClass(
        "gpu.nvidia.com",
        "{selectors: [{cel: {expression: \"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'\"}}]}");
    node("hopper", "H100", "H100");
    node("volta", "V100", "V100");
    node("mixed", "H100", "V100");
  }

  /// A node with GPUs of these models.
  private void node(String node, String... models) {
    StringBuilder gpus = new StringBuilder();
    for (int i = 0; i < models.length; i++) {
      gpus.append(
          "  - {name: gpu-%d, attributes: {type: {string: gpu}, productName: {string: %s}}, capacity: {memory: {value: %s}}}%n"
              .formatted(i, models[i], models[i].equals("H100") ? "80Gi" : "32Gi"));
    }
    String yaml =
        """
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          nodeName: %s
          pool: {name: %s, generation: 1, resourceSliceCount: 1}
          devices:
        %s\
        """
            .formatted(node, node, node, gpus);
    slice(node, yaml);
  }

  private static String asking(int count, String... expressions) {
    return "{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: %d, selectors: [%s]}}"
        .formatted(count, selectors(expressions));
  }

  private static String selectors(String... expressions) {
    StringBuilder all = new StringBuilder();
    for (String expression : expressions) {
      all.append("{cel: {expression: \"%s\"}},".formatted(expression));
    }
    return all.toString();
  }

  private ReadResult<Resources> read(String claim) {
    devices.selectAgain();
    Pod pod =
        Yaml.pod(
            "metadata: {namespace: ml, name: p, uid: p}\nspec: {resourceClaims: [{name: mine, %s}]}"
                .formatted(claim));
    return devices.claimedBy(pod);
  }

  private Map<String, Long> claimed() {
    return claimed("resourceClaimTemplateName: gpus");
  }

  private Map<String, Long> claimed(String claim) {
    return switch (read(claim)) {
      case ReadResult.Good<Resources>(Resources gpus) -> gpus.asMap();
      case ReadResult.Bad<Resources>(ObjectProblem problem) -> throw new AssertionError(problem);
    };
  }

  private Map<String, Long> offered(String node) {
    devices.selectAgain();
    return devices.of(node).offered().asMap();
  }

  private Set<String> selectedAnew() {
    devices.selectAgain();
    return devices.selectedAnew(DeviceInventory.NODES_AT_A_TIME);
  }

  @Test
  void node_offers_selected_gpus_and_a_pod_requests_them() {
    template(asking(2, H100));

    assertThat(claimed()).isEqualTo(Map.of(GPU, 2L, WHERE_H100, 2L));
    assertThat(offered("hopper")).isEqualTo(Map.of(GPU, 2L, WHERE_H100, 2L));
    assertThat(offered("volta")).isEqualTo(Map.of(GPU, 2L));
    assertThat(offered("mixed")).isEqualTo(Map.of(GPU, 2L, WHERE_H100, 1L));
  }

  @Test
  void all_selectors_must_hold() {
    template(asking(1, LARGE, "device.attributes['gpu.nvidia.com'].productName != 'H100'"));

    assertThat(claimed()).hasSize(2);
    assertThat(offered("hopper")).containsOnlyKeys(GPU);
    assertThat(offered("volta")).containsOnlyKeys(GPU);
  }

  @Test
  void pods_holding_selected_gpus_are_counted_however_they_requested() {
    template(asking(1, H100));
    claimed("any", "mixed", "gpu-0");
    claimed("other", "mixed", "gpu-1");

    assertThat(claimed("resourceClaimName: any")).isEqualTo(Map.of(GPU, 1L, WHERE_H100, 1L));
    assertThat(claimed("resourceClaimName: other")).isEqualTo(Map.of(GPU, 1L));
  }

  @Test
  void container_requests_for_selected_gpus_are_counted() {
    template(asking(1, H100));
    claimed("made", "mixed", "gpu-0");

    assertThat(claimed(requesting("made", "r"))).isEqualTo(Resources.of(WHERE_H100, 1));
  }

  /// A claim that asked for any GPU and has this one.
  private void claimed(String name, String node, String gpu) {
    String yaml =
        """
        metadata: {namespace: ml, name: %s}
        spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
        status:
          allocation: {devices: {results: [{request: r, driver: gpu.nvidia.com, pool: %s, device: %s}]}}
          reservedFor: [{resource: pods, name: p, uid: p}]
        """
            .formatted(name, node, gpu);
    devices.claim("ml/" + name, Optional.of(Serialization.unmarshal(yaml, ResourceClaim.class)));
    devices.selectAgain();
  }

  @Test
  void nodes_are_updated_once_on_the_first_selection() {
    assertThat(selectedAnew()).isEmpty();

    template(asking(1, H100));
    assertThat(selectedAnew()).containsExactlyInAnyOrder("hopper", "mixed");

    template("again", asking(2, H100));
    assertThat(selectedAnew()).isEmpty();
  }

  @Test
  void device_class_with_a_selector_counts_like_a_request() {
    deviceClass(
        "large",
        "{selectors: [%s]}".formatted(selectors("device.driver == 'gpu.nvidia.com'", LARGE)));
    template("{name: r, exactly: {deviceClassName: large, count: 2}}");
    assertThat(claimed()).isEqualTo(Map.of(GPU, 2L, GPU + " of class large", 2L));
    assertThat(offered("mixed")).containsEntry(GPU + " of class large", 1L);
    selectedAnew();

    deviceClass(
        "large",
        "{selectors: [%s]}"
            .formatted(selectors("device.driver == 'gpu.nvidia.com'", "!(" + LARGE + ")")));
    assertThat(selectedAnew()).containsExactlyInAnyOrder("hopper", "mixed", "volta");
    assertThat(offered("volta")).containsEntry(GPU + " of class large", 2L);
    assertThat(offered("hopper")).containsOnlyKeys(GPU);
  }

  @Test
  void device_class_of_all_gpus_of_its_driver_counts_nothing_extra() {
    template("{name: r, exactly: {deviceClassName: gpu.nvidia.com}}");

    assertThat(claimed()).containsOnlyKeys(GPU);
    assertThat(offered("hopper")).containsOnlyKeys(GPU);
  }

  @Test
  void alternatives_match_if_one_of_them_matches() {
    String v100 = "device.attributes['gpu.nvidia.com'].productName == 'V100'";
    template(
        "{name: r, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com, selectors: [%s]}, {name: b, deviceClassName: gpu.nvidia.com, count: 2, selectors: [%s]}]}"
            .formatted(selectors(H100), selectors(v100)));
    assertThat(claimed()).isEqualTo(Map.of(GPU, 2L, WHERE_H100 + " or where " + v100, 2L));

    template(
        "{name: r, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com, selectors: [%s]}, {name: b, deviceClassName: gpu.nvidia.com}]}"
            .formatted(selectors(H100)));
    assertThat(claimed()).as("the last takes any").isEqualTo(Map.of(GPU, 1L));
  }

  @Test
  void device_class_without_a_driver_may_match_any_device() {
    deviceClass("stands-for-it", "{extendedResourceName: nvidia.com/gpu}");
    String one = "{name: a, deviceClassName: stands-for-it, selectors: [%s]}";
    template("{name: r, firstAvailable: [%s]}".formatted(one.formatted(selectors(H100))));
    assertThat(claimed()).isEqualTo(Map.of(GPU, 1L));

    template(
        "{name: r, firstAvailable: [{name: b, deviceClassName: gpu.nvidia.com, selectors: [%s]}, %s]}"
            .formatted(selectors(H100), one.formatted("")));
    assertThat(claimed()).isEqualTo(Map.of(GPU, 1L));
  }

  @Test
  void unknown_expression_selects_nothing() {
    template(asking(1, "device.ofTheFuture()"));
    assertThat(claimed()).isEqualTo(Map.of(GPU, 1L));

    template(asking(1, "device.ofTheFuture()", H100));
    assertThat(claimed()).as("the rest counts").hasSize(2);
    assertThat(offered("mixed")).containsValue(1L);
    assertThat(offered("volta")).containsOnlyKeys(GPU);
  }

  @Test
  void parts_of_gpus_are_refused() {
    template(asking(1, "device.attributes['gpu.nvidia.com'].type == 'mig'"));

    assertThat(read("resourceClaimTemplateName: gpus"))
        .isInstanceOfSatisfying(
            ReadResult.Bad.class,
            bad ->
                assertThat(bad.problem().message())
                    .contains(
                        "ResourceClaimTemplate ml/gpus",
                        "exactly.selectors",
                        "mig",
                        "Use another scheduler"));
  }

  @Test
  void long_selectors_get_short_unique_names() {
    String padding = " || device.driver == 'none'".repeat(20);
    template("a", asking(1, H100 + padding));
    template("b", asking(1, H100 + padding + " || false"));

    assertThat(offered("hopper")).hasSize(3);
    assertThat(offered("hopper").keySet()).allMatch(name -> name.length() < 250);
  }

  /// Otherwise each of the two claims would replace the selection of the other.
  @Test
  void different_selectors_with_equal_words_have_different_names() {
    template("a", asking(1, "true // x", "true"));
    template("b", asking(1, "true // x and true"));

    assertThat(offered("hopper")).hasSize(3);
  }

  @Test
  void names_have_no_characters_that_act_on_a_terminal() {
    template("a", asking(1, "'\u202e\\e[2J' != device.driver"));

    assertThat(offered("hopper").keySet())
        .hasSize(2)
        .allMatch(name -> name.chars().allMatch(each -> PlainText.isPlain((char) each)));
  }

  @Test
  void claim_beyond_the_budget_is_refused() {
    template(asking(1, "true", "x".repeat(10_240)));

    assertThat(read("resourceClaimTemplateName: gpus"))
        .isInstanceOfSatisfying(
            ReadResult.Bad.class,
            bad ->
                assertThat(bad.toString())
                    .contains(
                        "The field spec.devices.requests has 10244 characters of selectors; the limit is 10240."));
  }
}
