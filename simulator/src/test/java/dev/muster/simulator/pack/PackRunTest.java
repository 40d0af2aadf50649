package dev.muster.simulator.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.pack.PackRun.Point;
import dev.muster.simulator.trace.TraceJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The packing experiment and its policies place pods as documented.
final class PackRunTest {
  private static final Fleet FLEET = FleetNotation.parse("6x4").orElseThrow();

  private static PackPod part(int milli) {
    return new PackPod(0, 0, 1, milli, GpuModelPreference.ANY);
  }

  private static PackPod whole(int gpus) {
    return new PackPod(0, 0, gpus, 1000, GpuModelPreference.ANY);
  }

  private static TraceJob job(int gpus, int milli) {
    Resources resources = Resources.of(Map.of("nvidia.com/gpu", (long) gpus, Resources.PODS, 1L));
    Request request = new Request(resources, gpus, milli, NodeSelection.ANY, false);
    String name = "pod-" + gpus + "-" + milli;
    return new TraceJob(name, "", "", 0, 1000, 1, 1, request, GangConstraints.NONE, 0, "");
  }

  private static final List<TraceJob> MIX =
      Stream.of(job(1, 0), job(4, 0), job(0, 300), job(0, 500)).toList();

  private static PackNode box(int... left) {
    PackNode box =
        new PackNode(FleetNotation.parse("1x" + left.length).orElseThrow().nodes().getFirst());
    System.arraycopy(left, 0, box.milli, 0, left.length);
    return box;
  }

  @Test
  void capacity_useless_for_every_pod_is_a_fragment() {
    Fragments fragments = new Fragments(List.of(part(500), whole(1)));
    assertThat(fragments.of(box(300, 1000))).isEqualTo(300);
    assertThat(fragments.of(box(600, 1000))).isEqualTo(300);
    assertThat(fragments.of(box(400))).isEqualTo(400);
  }

  @Test
  void all_capacity_is_a_fragment_for_pods_without_gpus() {
    Fragments fragments =
        new Fragments(List.of(new PackPod(0, 0, 0, 0, GpuModelPreference.ANY), whole(1)));
    assertThat(fragments.of(box(1000, 1000))).isEqualTo(1000);
  }

  @Test
  void gradient_descent_uses_the_least_useful_capacity() {
    // A part of 300 on the GPU that has 300 left costs nothing; on a whole one it would cost much.
    GradientDescent packer = new GradientDescent(new Fragments(List.of(part(300), whole(1))));
    PackNode used = box(1000, 300);
    PackNode fresh = box(1000, 1000);
    assertThat(packer.put(part(300), List.of(fresh, used))).isTrue();
    assertThat(used.milli).containsExactly(1000, 0);
  }

  /// Lists of nodes may say nothing of CPU or memory; then these tell no nodes apart.
  @ParameterizedTest
  @EnumSource
  void nodes_without_cpu_and_memory_are_filled_too(PackPolicy policy, @TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("nodes.csv");
    Files.writeString(file, "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\nm1,V100,0,0,4\n");
    Fleet fleet = Fleets.of(file.toString());
    List<Point> points = PackRun.of(fleet, List.of(job(1, 0)), policy, 1, 42);
    assertThat(points.getLast().allocated()).isEqualTo(1);
  }

  @Test
  void packing_prefers_gpus_in_use() {
    Packer packer = Packer.highest(new GpuPacking());
    PackNode idle = box(1000, 1000);
    PackNode used = box(1000, 600);
    used.changes = 1;
    packer.put(part(300), List.of(idle, used));
    assertThat(used.milli).containsExactly(1000, 300);
    packer.put(part(500), List.of(idle, used));
    assertThat(used.milli).containsExactly(500, 300);
  }

  @Test
  void clustering_places_like_with_like() {
    Packer packer = Packer.highest(new GpuClustering());
    PackNode one = box(1000, 1000, 1000, 1000);
    PackNode other = box(1000, 1000, 1000, 1000);
    one.put(whole(2));
    other.put(whole(1));
    packer.put(whole(1), List.of(one, other));
    assertThat(other.milli).containsExactly(0, 0, 1000, 1000);
  }

  @ParameterizedTest
  @EnumSource
  void nothing_is_allocated_twice(PackPolicy policy) {
    List<Point> points = PackRun.of(FLEET, MIX, policy, 1.5, 42);
    assertThat(points).hasSize(150);
    for (Point point : points) {
      assertThat(point.allocated()).isBetween(0.0, 1.0);
      assertThat(point.allocated() + point.fragmented()).isLessThanOrEqualTo(1 + 1e-9);
    }
    assertThat(points.getLast().allocated()).isGreaterThan(0.5);
  }

  @ParameterizedTest
  @EnumSource
  void equal_seeds_give_equal_runs(PackPolicy policy) {
    assertThat(PackRun.of(FLEET, MIX, policy, 1.2, 7))
        .isEqualTo(PackRun.of(FLEET, MIX, policy, 1.2, 7));
  }

  @ParameterizedTest
  @EnumSource
  void everything_is_allocated_with_one_kind_of_pod(PackPolicy policy) {
    List<Point> points = PackRun.of(FLEET, List.of(job(2, 0)), policy, 1.1, 1);
    assertThat(points.getLast()).isEqualTo(new Point(1.1, 1, 0));
  }

  @Test
  void pods_without_gpus_use_none() {
    assertThatThrownBy(() -> PackRun.of(FLEET, List.of(job(0, 0)), PackPolicy.FGD, 1.1, 1))
        .hasMessageContaining("No pod of the trace requests a GPU");
  }

  @Test
  void capacity_skipped_by_a_large_pod_is_unchanged() {
    // 4 pods of 4 of 16 GPUs: the first asks for 25 hundredths at once.
    Fleet fleet = FleetNotation.parse("4x4").orElseThrow();
    List<Point> points = PackRun.of(fleet, List.of(job(4, 0)), PackPolicy.BEST_FIT, 1, 42);
    assertThat(points.get(23)).isEqualTo(new Point(0.24, 0, 0));
    assertThat(points.get(24)).isEqualTo(new Point(0.25, 0.25, 0));
    assertThat(points).hasSize(100).allMatch(point -> point.allocated() <= point.arrived());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void demand_out_of_range_is_refused(double demand) {
    assertThatThrownBy(() -> PackRun.of(FLEET, MIX, PackPolicy.BEST_FIT, demand, 42))
        .hasMessageContaining("must be 0.01 to 100");
  }
}
