package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.muster.policy.config.GatingFields.OwnVisibleDevices;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A container sees the GPUs that it requests, whatever value its pod sets.
class GpuHidingTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String ALL = "{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"all\"}";
  private static final String NONE = "{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}";

  private static final String GPU = "\"nvidia.com/gpu\":\"1\"";

  private final ArrayNode patch = MAPPER.createArrayNode();

  private Optional<String> hide(OwnVisibleDevices own, String env, String limits)
      throws JsonProcessingException {
    return resources(own, env, "\"limits\":{%s}".formatted(limits));
  }

  private Optional<String> resources(OwnVisibleDevices own, String env, String resources)
      throws JsonProcessingException {
    String pod =
        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"env\":[%s],\"resources\":{%s}}]}}"
            .formatted(env, resources);
    return new GpuHiding(Set.of(ServerImages.GPU), own)
        .hide(patch, "/spec/containers", MAPPER.readTree(pod), Set.of());
  }

  private static String replacing(int index) {
    return "{\"op\":\"replace\",\"path\":\"/spec/containers/0/env/%d\",\"value\":%s}"
        .formatted(index, NONE);
  }

  private static String removing(int index) {
    return "{\"op\":\"remove\",\"path\":\"/spec/containers/0/env/%d\"}".formatted(index);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"value\":\"all\"",
        "\"value\":\"0,1\"",
        "\"value\":\"$(OTHER)\"",
        "\"value\":\"\"",
        "\"value\":\" none\"",
        "\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}"
      })
  void value_is_overwritten(String value) throws JsonProcessingException {
    String env = "{\"name\":\"A\"},{\"name\":\"NVIDIA_VISIBLE_DEVICES\",%s}".formatted(value);

    assertThat(hide(OwnVisibleDevices.OVERWRITE, env, "")).isEmpty();

    assertThat(patch).hasToString("[" + replacing(1) + "]");
  }

  /// Its devices come by CDI, and the driver of a GPU overwrites the variable.
  @Test
  void claim_shows_no_other_gpus() throws JsonProcessingException {
    resources(OwnVisibleDevices.OVERWRITE, ALL, "\"claims\":[{\"name\":\"c\"}]");

    assertThat(patch).hasToString("[" + replacing(0) + "]");
  }

  /// Of several values of a name, the last counts.
  @Test
  void every_value_is_overwritten() throws JsonProcessingException {
    hide(OwnVisibleDevices.OVERWRITE, ALL + "," + NONE + "," + ALL, "");

    assertThat(patch).hasToString("[" + replacing(0) + "," + replacing(2) + "]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "void"})
  void value_that_hides_gpus_stays(String value) throws JsonProcessingException {
    String env = ALL.replace("all", value);

    assertThat(hide(OwnVisibleDevices.OVERWRITE, env, "")).isEmpty();
    assertThat(hide(OwnVisibleDevices.REFUSE, env, "")).isEmpty();

    assertThat(patch).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\"nvidia.com/gpu\":\"0\"", GPU})
  void pod_is_refused(String limits) throws JsonProcessingException {
    assertThat(hide(OwnVisibleDevices.REFUSE, ALL, limits)).isPresent();
  }

  /// The kubelet appends the variables of the pod to those of the device plugin, and the last value
  /// counts. After the removal of an entry, the entries behind it have lower numbers.
  @Test
  void values_of_a_container_that_requests_gpus_are_removed() throws JsonProcessingException {
    String from = ALL.replace("\"value\":\"all\"", "\"valueFrom\":{\"fieldRef\":{}}");

    hide(OwnVisibleDevices.OVERWRITE, ALL + "," + NONE + ",{\"name\":\"A\"}," + from, GPU);

    assertThat(patch).hasToString("[" + removing(3) + "," + removing(0) + "]");
  }

  @Test
  void value_of_a_container_that_requests_gpus_can_be_allowed() throws JsonProcessingException {
    assertThat(hide(OwnVisibleDevices.ALLOW, ALL, GPU)).isEmpty();

    assertThat(patch).isEmpty();
  }

  @Test
  void value_can_be_allowed() throws JsonProcessingException {
    hide(OwnVisibleDevices.ALLOW, ALL, "");
    assertThat(patch).isEmpty();

    hide(OwnVisibleDevices.ALLOW, "", "");
    assertThat(patch)
        .hasToString(
            "[{\"op\":\"add\",\"path\":\"/spec/containers/0/env/-\",\"value\":%s}]"
                .formatted(NONE));
  }

  private Optional<String> placed(String annotation, String limits) throws JsonProcessingException {
    String pod =
        "{\"metadata\":{\"annotations\":{\"%s\":\"a\"}},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"env\":[%s],\"resources\":{\"limits\":{%s}}}]}}"
            .formatted(annotation, ALL, limits);
    return new GpuHiding(Set.of(ServerImages.GPU), OwnVisibleDevices.OVERWRITE)
        .hide(patch, "/spec/containers", MAPPER.readTree(pod), Set.of());
  }

  /// The kubelet drops requests of resources that the node does not have.
  @ParameterizedTest
  @ValueSource(strings = {GPU, "\"example.com/gpu\":\"1\"", "\"nvidia.com/mig-1g.10gb\":\"1\""})
  void pod_that_names_its_node_requests_no_gpus(String limits) throws JsonProcessingException {
    assertThat(placed("a", limits)).isPresent();
  }

  @Test
  void pod_without_gpus_may_name_its_node() throws JsonProcessingException {
    assertThat(placed("a", "\"nvidia.com/gpu\":\"0\"")).isEmpty();

    assertThat(patch).hasToString("[" + replacing(0) + "]");
  }

  /// The kubelet starts the static pod, whatever its mirror says.
  @Test
  void mirror_of_a_static_pod_is_not_refused() throws JsonProcessingException {
    assertThat(placed("kubernetes.io/config.mirror", GPU)).isEmpty();
  }
}
