package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.DeviceScene;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Selections that do not count are named, each with a claim and a reason.
class UncountedSelectionsTest extends DeviceScene {
  private static final String H100 = "device.attributes['gpu.nvidia.com'].productName == 'H100'";

  @BeforeEach
  void drawCluster() {
    deviceClass("gpu.nvidia.com", "{}");
    slice("s", 1, 1, "gpu-0");
  }

  private static String asking(String expression) {
    return "{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: \"%s\"}}]}}"
        .formatted(expression);
  }

  @Test
  void selection_that_is_not_evaluated_for_all_gpus_is_named() {
    template("a", asking(H100));
    claim(
        "b",
        "metadata: {namespace: ml, name: b}\nspec: {devices: {requests: [%s]}}"
            .formatted(asking(H100)));

    assertThat(devices.uncounted())
        .containsExactly(
            "ResourceClaimTemplate ml/a and 1 more: the selection (%s where %s) is not counted: it is not evaluated for all GPUs so far, so nodes show too few of them."
                .formatted(GPU, H100));
    devices.selectAgain();
    assertThat(devices.uncounted()).isEmpty();
  }

  @Test
  void selection_that_is_not_understood_is_named() {
    template("a", asking("device.ofTheFuture()"));
    devices.selectAgain();

    assertThat(devices.uncounted())
        .singleElement()
        .asString()
        .contains("ResourceClaimTemplate ml/a", "device.ofTheFuture()", "Muster does not know it");
  }

  @Test
  void selection_beyond_the_limit_is_named() {
    for (int i = 0; i <= DeviceSelections.OF_NAMESPACE; i++) {
      template("t%02d".formatted(i), asking("device.driver != 'd%d'".formatted(i)));
    }
    devices.selectAgain();

    assertThat(devices.uncounted())
        .singleElement()
        .asString()
        .contains("ResourceClaimTemplate ml/t20", "too many");
  }
}
