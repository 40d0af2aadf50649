package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.dra.CountedSelection.Evaluation;
import dev.muster.server.kube.dra.cel.DeviceExpressionCompiler;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Selectors are evaluated in turns of some milliseconds, which namespaces share.
class SelectionTurnsTest {
  private static final String H100 = "device.attributes['gpu.nvidia.com'].productName == 'H100'";
  private static final long MILLI = 1_000_000;

  private final DeviceExpressionCompiler language = new DeviceExpressionCompiler();
  private final SlicePools pools = new SlicePools();
  private final DeviceSelections selections =
      new DeviceSelections(new GpuDeviceClasses(List.of(DeviceScene.GPU)), pools);

  private long cpu;

  private static ResourceSlice resourceSlice(String node, String model) {
    String yaml =
        """
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          nodeName: %s
          pool: {name: %s, generation: 1, resourceSliceCount: 1}
          devices:
          - {name: a, attributes: {productName: {string: %s}}}
          - {name: b, attributes: {productName: {string: %s}}}
        """
            .formatted(node, node, node, model, model);
    return Serialization.unmarshal(yaml, ResourceSlice.class);
  }

  private void slice(String node, String model) {
    pools.put(node, Optional.of(GpuSlice.of(resourceSlice(node, model))));
  }

  private static DeviceSelection selection(String expression) {
    return DeviceSelection.of(
            DeviceScene.GPU,
            List.of(new DeviceSelection.Way("gpu.nvidia.com", List.of(), List.of(expression))))
        .orElseThrow();
  }

  private DeviceSelection add(String namespace, String expression) {
    DeviceSelection selection = selection(expression);
    selections.add(selection, namespace);
    return selection;
  }

  /// Runs the next evaluation for at most 5 ms. Each reading of the clock takes the given time.
  private Evaluation run(long nanos) {
    Evaluation next = selections.next().orElseThrow();
    SelectionTime time =
        new SelectionTime(
            () -> {
              long now = cpu;
              cpu += nanos;
              return now;
            },
            5 * MILLI);
    next.run(language, time);
    return next;
  }

  private void turn(long nanos) {
    long before = cpu;
    Evaluation evaluation = run(nanos);
    selections.evaluated(evaluation, cpu - before);
  }

  private boolean matches(DeviceSelection selection, String node, String gpu) {
    GpuSlice.Pool pool = new GpuSlice.Pool("gpu.nvidia.com", node);
    return selections
        .taking(new GpuSlice.DeviceId(pool, gpu), pools.names(pool))
        .contains(selection.name());
  }

  @Test
  void costly_evaluation_goes_on_where_it_stopped() {
    DeviceSelection h100 = add("ml", H100);
    slice("n", "H100");

    turn(10 * MILLI);
    assertThat(matches(h100, "n", "a")).as("the slice is not evaluated yet").isFalse();
    turn(10 * MILLI);
    assertThat(matches(h100, "n", "a")).isTrue();
    assertThat(matches(h100, "n", "b")).isTrue();
    assertThat(selections.next()).isEmpty();
  }

  /// Else the promises of gangs that are starting would be lost.
  @Test
  void changed_class_counts_as_before_until_it_is_evaluated() {
    DeviceSelection all = ofClass("true");
    DeviceSelection none = ofClass("false");
    assertThat(none.name()).isEqualTo(all.name());
    selections.add(all, "ml");
    slice("n", "H100");
    turn(0);

    selections.add(none, "ml");
    assertThat(matches(none, "n", "a")).isTrue();
    turn(0);
    assertThat(matches(none, "n", "a")).isFalse();
  }

  private static DeviceSelection ofClass(String expression) {
    DeviceSelection.Way way =
        new DeviceSelection.Way("gpu.nvidia.com", List.of(expression), List.of(H100));
    return DeviceSelection.of(DeviceScene.GPU, List.of(way)).orElseThrow();
  }

  @Test
  void changed_slice_counts_as_before_until_it_is_evaluated() {
    DeviceSelection h100 = add("ml", H100);
    slice("n", "H100");
    turn(0);

    slice("n", "V100");
    assertThat(matches(h100, "n", "a")).isTrue();
    turn(0);
    assertThat(matches(h100, "n", "a")).isFalse();
  }

  @Test
  void result_for_a_former_state_of_a_slice_is_not_used() {
    DeviceSelection h100 = add("ml", H100);
    slice("n", "H100");
    Evaluation former = run(0);

    slice("n", "V100");
    selections.evaluated(former, 0);
    assertThat(matches(h100, "n", "a")).isFalse();
    assertThat(selections.next()).isPresent();
  }

  @Test
  void costly_selections_of_a_namespace_delay_another_one_by_a_turn() {
    DeviceSelection honest = selection(H100);
    for (int i = 0; i < DeviceSelections.OF_NAMESPACE; i++) {
      add("hostile", "'d%d' != device.driver".formatted(i));
    }
    for (int i = 0; i < 10; i++) {
      slice("n" + i, "H100");
    }
    turn(10 * MILLI);
    selections.add(honest, "honest");
    for (int i = 0; i < 10; i++) {
      turn(MILLI / 100);
    }

    assertThat(matches(honest, "n9", "b")).isTrue();
  }

  @Test
  void costly_selection_delays_a_usual_one_of_its_namespace_by_a_turn() {
    slice("n0", "H100");
    slice("n1", "H100");
    add("ml", "'costly' != device.driver");
    turn(10 * MILLI);
    DeviceSelection usual = add("ml", H100);
    turn(MILLI);
    turn(MILLI);

    assertThat(matches(usual, "n1", "b")).isTrue();
  }

  @Test
  void selection_that_takes_too_long_for_all_gpus_is_left_to_kube_scheduler() {
    DeviceSelection slow = add("ml", H100);
    slice("n0", "H100");
    slice("n1", "H100");
    for (int i = 0; i < 3; i++) {
      turn(SelectionTime.LIMIT_NANOS / 3);
      assertThat(selections.count(slow)).isTrue();
    }

    turn(SelectionTime.LIMIT_NANOS / 3);
    assertThat(selections.count(slow)).isFalse();
    add("ml", H100);
    assertThat(selections.count(slow)).as("remembered").isFalse();
  }

  /// Otherwise a driver upgrade would make usual selections slow.
  @Test
  void former_states_of_a_slice_do_not_make_a_selection_slow() {
    DeviceSelection usual = add("ml", H100);
    for (int i = 0; i < 10; i++) {
      slice("n", "H100");
      turn(SelectionTime.LIMIT_NANOS / 3);
      turn(SelectionTime.LIMIT_NANOS / 3);
    }

    assertThat(selections.count(usual)).isTrue();
  }

  private DeviceInventory devices(int selectors, long nanosOfReading) {
    DeviceInventory devices =
        new DeviceInventory(List.of(DeviceScene.GPU), () -> cpu += nanosOfReading);
    devices.deviceClass(
        "gpu.nvidia.com",
        Optional.of(
            Serialization.unmarshal("metadata: {name: gpu.nvidia.com}", DeviceClass.class)));
    for (int i = 0; i < selectors; i++) {
      String claim =
          """
          metadata: {namespace: ml, name: c%d}
          spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: "device.driver != 'd%d'"}}]}}]}}
          """
              .formatted(i, i);
      devices.claim("ml/c" + i, Optional.of(Serialization.unmarshal(claim, ResourceClaim.class)));
    }
    for (int i = 0; i < 100; i++) {
      devices.slice("n" + i, Optional.of(resourceSlice("n" + i, "H100")));
    }
    return devices;
  }

  /// Otherwise the choice of a selection, which looks at all of them, is made for each slice.
  @Test
  void turn_of_a_cheap_selection_is_over_many_slices() {
    DeviceInventory devices = devices(2, 1_000);

    devices.selectFor(Duration.ofNanos(1_500)); // one turn
    assertThat(devices.of("n0").offered().asMap()).hasSize(2);
    assertThat(devices.of("n99").offered().asMap()).hasSize(2);
  }

  /// A reading can take longer than the evaluation for a slice.
  @Test
  void clock_is_read_at_most_three_times_for_a_slice() {
    DeviceInventory devices = devices(10, 1);

    long before = cpu;
    devices.selectFor(Duration.ofSeconds(1));
    assertThat(devices.of("n99").offered().asMap()).hasSize(11);
    assertThat(cpu - before).isLessThan(10 * 100 * 3);
  }

  /// Each read of a pod needs the lock.
  @Test
  void no_expression_is_evaluated_under_the_lock_or_beyond_the_time() {
    boolean[] locked = new boolean[1];
    DeviceInventory[] devices = new DeviceInventory[1];
    devices[0] =
        new DeviceInventory(
            List.of(DeviceScene.GPU),
            () -> {
              locked[0] |= devices[0] != null && Thread.holdsLock(devices[0]);
              cpu += MILLI;
              return cpu;
            });
    String claim =
        """
        metadata: {namespace: ml, name: c}
        spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: "%s"}}]}}]}}
        """
            .formatted(H100);
    devices[0].claim("ml/c", Optional.of(Serialization.unmarshal(claim, ResourceClaim.class)));
    devices[0].deviceClass(
        "gpu.nvidia.com",
        Optional.of(
            Serialization.unmarshal("metadata: {name: gpu.nvidia.com}", DeviceClass.class)));
    for (int i = 0; i < 100; i++) {
      devices[0].slice("n" + i, Optional.of(resourceSlice("n" + i, "H100")));
    }
    assertThat(devices[0].of("n0").offered().asMap()).containsOnlyKeys(DeviceScene.GPU);

    long before = cpu;
    devices[0].selectAgain();
    assertThat(cpu - before).isBetween(100 * MILLI, 120 * MILLI);
    assertThat(locked[0]).isFalse();
    assertThat(devices[0].of("n0").offered().asMap()).hasSize(2);
    assertThat(devices[0].of("n99").offered().asMap()).hasSize(1);
  }
}
