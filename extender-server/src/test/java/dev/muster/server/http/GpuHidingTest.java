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

/// A container without a GPU request sees no GPU, whatever value its pod sets.
class GpuHidingTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String ALL = "{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"all\"}";
  private static final String NONE = "{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}";

  private final ArrayNode patch = MAPPER.createArrayNode();

  private Optional<String> hide(OwnVisibleDevices own, String env, String limits)
      throws JsonProcessingException {
    String pod =
        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"env\":[%s],\"resources\":{\"limits\":{%s}}}]}}"
            .formatted(env, limits);
    return new GpuHiding(Set.of(ServerImages.GPU), own)
        .hide(patch, "/spec/containers", MAPPER.readTree(pod), Set.of());
  }

  private static String replacing(int index) {
    return "{\"op\":\"replace\",\"path\":\"/spec/containers/0/env/%d\",\"value\":%s}"
        .formatted(index, NONE);
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

  @Test
  void pod_is_refused_only_without_a_gpu_request() throws JsonProcessingException {
    assertThat(hide(OwnVisibleDevices.REFUSE, ALL, "")).isPresent();
    assertThat(hide(OwnVisibleDevices.REFUSE, ALL, "\"nvidia.com/gpu\":\"1\"")).isEmpty();
    assertThat(hide(OwnVisibleDevices.REFUSE, ALL, "\"nvidia.com/gpu\":\"0\"")).isPresent();
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
}
