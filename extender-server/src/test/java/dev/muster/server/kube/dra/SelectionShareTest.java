package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.DeviceScene;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The claims of a namespace get a share of the selections, and of the nodes that are read again.
class SelectionShareTest extends DeviceScene {
  private static final int SHARE = DeviceSelections.OF_NAMESPACE;

  @BeforeEach
  void drawCluster() {
    deviceClass("gpu.nvidia.com", "{}");
    node("node");
  }

  private void node(String name) {
    String yaml =
        """
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          nodeName: %s
          pool: {name: %s, generation: 1, resourceSliceCount: 1}
          devices: [{name: g}]
        """
            .formatted(name, name, name);
    slice(name, yaml);
  }

  /// Templates whose selections differ in these numbers were seen.
  private void templates(int from, int to) {
    for (int i = from; i < to; i++) {
      template(
          "t" + i,
          "{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: \"%s\"}}]}}"
              .formatted(expression(i)));
    }
  }

  private static String expression(int i) {
    return "device.driver != 'd%d'".formatted(i);
  }

  private void noTemplate(int i) {
    devices.template("ml/t" + i, Optional.empty());
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      devices.selectAgain();
    }
  }

  /// True if the node counts the GPUs that the selection matches.
  private boolean isCounted(int i) {
    return devices.of("node").offered().asMap().containsKey(selection(i).name());
  }

  @Test
  void selection_beyond_the_share_of_its_namespace_is_left_to_kube_scheduler() {
    templates(0, SHARE + 1);
    pass(2);

    assertThat(isCounted(SHARE - 1)).isTrue();
    assertThat(isCounted(SHARE)).isFalse();
  }

  @Test
  void refused_selection_counts_when_another_is_gone() {
    templates(0, SHARE + 1);
    noTemplate(0);

    assertThat(devices.selectAgain()).isFalse();
    assertThat(devices.selectAgain()).as("pods must be read again").isTrue();
    assertThat(isCounted(SHARE)).isTrue();
    assertThat(isCounted(0)).isFalse();
  }

  /// Otherwise, each claim of a tenant that replaces another one would change all nodes.
  @Test
  void unused_selections_are_replaced_once_a_minute() {
    templates(0, SHARE + 1);
    pass(1);
    noTemplate(0);

    pass(DeviceInventory.RENEWAL - 1);
    assertThat(isCounted(SHARE)).isFalse();
    pass(2);
    assertThat(isCounted(SHARE)).isTrue();
  }

  private static DeviceSelection selection(int i) {
    return DeviceSelection.of(
            GPU,
            List.of(new DeviceSelection.Way("gpu.nvidia.com", List.of(), List.of(expression(i)))))
        .orElseThrow();
  }

  private static DeviceSelections selections() {
    return new DeviceSelections(new GpuDeviceClasses(List.of(GPU)), new SlicePools());
  }

  private static boolean add(DeviceSelections selections, int i, String namespace) {
    selections.add(selection(i), namespace);
    return selections.count(selection(i));
  }

  @Test
  void share_of_a_namespace_leaves_room_for_others() {
    DeviceSelections selections = selections();
    for (int i = 0; i < DeviceSelections.MOST; i++) {
      add(selections, i, "hostile");
    }

    assertThat(add(selections, SHARE, "hostile")).isFalse();
    assertThat(add(selections, SHARE, "honest")).isTrue();
  }

  @Test
  void selection_belongs_to_a_namespace_that_uses_it() {
    DeviceSelections selections = selections();
    Map<String, SortedSet<String>> users = new TreeMap<>();
    for (int i = 0; i < SHARE; i++) {
      add(selections, i, "first");
      users.put(selection(i).name(), new TreeSet<>(Set.of("second")));
    }
    selections.prune(name -> users.getOrDefault(name, new TreeSet<>()));

    assertThat(add(selections, SHARE, "second")).isFalse();
    assertThat(add(selections, SHARE, "first")).isTrue();
  }

  private Set<String> selectedAnew() {
    devices.selectAgain();
    return devices.selectedAnew(DeviceInventory.NODES_AT_A_TIME);
  }

  @Test
  void nodes_are_read_again_in_turn_a_part_each_second() {
    for (int i = 0; i < DeviceInventory.NODES_AT_A_TIME; i++) {
      node("a-%03d".formatted(i));
    }
    templates(0, 1);
    assertThat(selectedAnew()).hasSize(DeviceInventory.NODES_AT_A_TIME).doesNotContain("node");

    templates(1, 2);
    assertThat(selectedAnew()).contains("node", "a-000").doesNotContain("a-499");
    assertThat(selectedAnew()).containsExactly("a-499");
    assertThat(selectedAnew()).isEmpty();
  }
}
