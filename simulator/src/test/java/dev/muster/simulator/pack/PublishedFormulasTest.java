package dev.muster.simulator.pack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.simulator.fleet.FleetNotation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// The scores of the packing policies are those of the published program, worked out by hand.
final class PublishedFormulasTest {
  private static PackPod pod(long cpu, int gpus, int milli) {
    return new PackPod(cpu, 0, gpus, milli, GpuModelPreference.ANY);
  }

  private static PackNode box(long cpu, int... left) {
    PackNode box =
        new PackNode(FleetNotation.parse("1x" + left.length).orElseThrow().nodes().getFirst());
    System.arraycopy(left, 0, box.milli, 0, left.length);
    box.cpu = cpu;
    return box;
  }

  @Test
  void best_fit_counts_cpu_and_gpus_half_each() {
    // 56 of 128 cores and 2.5 of 8 GPUs stay: 1 - 0.21875 - 0.15625 = 0.625.
    assertThat(new BestFit().of(box(64_000, 1000, 1000, 1000), pod(8000, 1, 500))).isEqualTo(62);
    // 96 cores and 8 GPUs are the whole half of the GPUs: 1 - 0.375 - 0.5.
    int[] idle = new int[8];
    Arrays.fill(idle, 1000);
    assertThat(new BestFit().of(box(96_000, idle), pod(0, 0, 0))).isEqualTo(12);
  }

  @Test
  void dot_product_prefers_unlike_resources() {
    // 64/128 x 32/128 + 4/8 x 2/8 = 0.25, halved 0.125.
    assertThat(new DotProduct().of(box(64_000, 1000, 1000, 1000, 1000), pod(32_000, 2, 1000)))
        .isEqualTo(87);
  }

  @Test
  void gpu_packing_has_three_classes() {
    GpuPacking packing = new GpuPacking();
    assertThat(packing.of(box(9000, 1000, 300), pod(0, 1, 300))).isEqualTo(97);
    assertThat(packing.of(box(9000, 1000, 990), pod(0, 1, 300))).isEqualTo(91);
    assertThat(packing.of(box(9000, 1000, 300), pod(0, 1, 400))).isEqualTo(49);
    assertThat(packing.of(box(9000, 1000, 1000, 1000, 300), pod(0, 2, 1000))).isEqualTo(48);
    assertThat(packing.of(box(9000, 1000, 1000), pod(0, 2, 1000))).isEqualTo(31);
    assertThat(packing.of(box(9000, 1000, 1000), pod(4000, 0, 0))).isZero();
  }

  @Test
  void pods_without_gpus_leave_a_node_idle_for_gpu_packing() {
    PackNode box = box(9000, 1000, 1000);
    box.put(pod(4000, 0, 0));
    assertThat(new GpuPacking().of(box, pod(0, 1, 500))).isEqualTo(31);
  }

  @Test
  void gpu_clustering_has_four_classes() {
    GpuClustering clustering = new GpuClustering();
    PackNode box = box(9000, 1000, 1000, 1000, 1000);
    assertThat(clustering.of(box, pod(0, 1, 500))).isEqualTo(12 + 25);
    box.put(pod(0, 1, 500));
    assertThat(clustering.of(box, pod(0, 1, 300))).isEqualTo(14 + 75);
    assertThat(clustering.of(box, pod(0, 1, 1000))).isEqualTo(14);
    box.put(pod(0, 2, 1000));
    assertThat(clustering.of(box, pod(0, 1, 300))).isEqualTo(20 + 50);
  }

  @Test
  void gradient_descent_flattens_and_truncates() {
    assertThat(GradientDescent.score(400, 400)).isEqualTo(50);
    assertThat(GradientDescent.score(1300, 300)).isEqualTo(73);
    assertThat(GradientDescent.score(300, 1300)).isEqualTo(26);
    // 1/(1 + e^-0.001) is 0.50025.
    assertThat(GradientDescent.score(401, 400)).isEqualTo(50);
  }

  @Test
  void first_of_equal_scores_is_taken() {
    // 10 thousandths less of a fragment do not show in whole numbers.
    GradientDescent packer = new GradientDescent(new Fragments(List.of(pod(0, 1, 500))));
    PackNode first = box(9000, 430);
    PackNode second = box(9000, 420);
    assertThat(packer.put(pod(0, 1, 400), List.of(first, second))).isTrue();
    assertThat(first.milli).containsExactly(30);
  }

  @Test
  void shapes_count_until_they_are_95_percent_of_the_pods() {
    List<PackPod> pods = new ArrayList<>(Collections.nCopies(90, pod(1000, 1, 500)));
    pods.addAll(Collections.nCopies(5, pod(1000, 1, 1000)));
    pods.addAll(Collections.nCopies(3, pod(0, 0, 0)));
    pods.addAll(Collections.nCopies(2, pod(1000, 8, 1000)));
    assertThat(new Fragments(pods).size()).isEqualTo(2);
  }

  @Test
  void pods_that_differ_in_memory_alone_are_one_shape() {
    PackPod more = new PackPod(1000, 1 << 30, 1, 500, GpuModelPreference.ANY);
    assertThat(new Fragments(List.of(pod(1000, 1, 500), more)).size()).isEqualTo(1);
  }

  @Test
  void random_fit_uses_any_node_and_any_gpu() {
    RandomFit packer = new RandomFit(new Random(7));
    TreeSet<String> places = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      PackNode one = box(9000, 1000, 600, 300);
      PackNode other = box(9000, 500);
      packer.put(pod(0, 1, 400), List.of(one, other));
      places.add(Arrays.toString(one.milli) + Arrays.toString(other.milli));
    }
    assertThat(places)
        .containsExactly("[1000, 200, 300][500]", "[1000, 600, 300][100]", "[600, 600, 300][500]");
  }
}
