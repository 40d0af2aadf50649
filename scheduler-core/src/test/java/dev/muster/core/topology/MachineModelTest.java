package dev.muster.core.topology;

import static dev.muster.core.topology.Interconnect.UNBOUNDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MachineModelTest {
  private static final long NVLINK_2 = 200_000;
  private static final long SOCKETS_OF_PCIE_3 = 63_015;

  private final MachineModel dgx1 = MachineFamily.V100_CUBE_MESH.of(8).orElseThrow();

  @Test
  void every_gpu_of_the_dgx1_has_six_nvlinks() {
    for (int gpu = 0; gpu < 8; gpu++) {
      Vertex end = new Vertex.Gpu(gpu);
      List<Link> own =
          nvlinks(dgx1).stream().filter(l -> l.a().equals(end) || l.b().equals(end)).toList();
      assertThat(own.stream().mapToLong(Link::bandwidthMbps).sum())
          .as("GPU %d", gpu)
          .isEqualTo(6 * NVLINK_2);
    }
    assertThat(nvlinks(dgx1)).hasSize(16);
  }

  @Test
  void best_pair_of_the_dgx1_has_a_double_link_and_the_worst_uses_pcie() {
    assertThat(dgx1.bestSubset(2)).containsExactly(0, 3);
    assertThat(dgx1.bandwidthOf(2)).isEqualTo(2 * NVLINK_2);
    assertThat(dgx1.guaranteed(2)).isEqualTo(SOCKETS_OF_PCIE_3);
  }

  @Test
  void best_four_of_the_dgx1_are_a_fully_linked_quad() {
    assertThat(dgx1.bestSubset(4)).containsExactly(0, 1, 2, 3);
    assertThat(dgx1.bandwidthOf(4)).isEqualTo(2 * NVLINK_2);
    assertThat(dgx1.guaranteed(4))
        .as("0, 1, 6, 7 are two pairs without a link between")
        .isEqualTo(SOCKETS_OF_PCIE_3);
    assertThat(dgx1.guaranteed(5)).as("any five hang together by NVLink").isEqualTo(NVLINK_2);
  }

  @Test
  void all_eight_of_the_dgx1_form_a_ring_of_double_links() {
    assertThat(dgx1.bandwidthOf(8)).isEqualTo(2 * NVLINK_2);
    assertThat(dgx1.guaranteed(8)).isEqualTo(2 * NVLINK_2);
  }

  @Test
  void best_linked_of_the_known_free_gpus_are_chosen() {
    SortedSet<Integer> free = new TreeSet<>(List.of(0, 2, 3, 5));
    assertThat(dgx1.bestSubset(2, free)).as("0-3 and 2-3 are double").containsExactly(0, 3);
    assertThat(dgx1.bestSubset(3, free)).containsExactly(0, 2, 3);
    assertThat(dgx1.bandwidthOf(3, FreeGpus.of(free))).isEqualTo(2 * NVLINK_2);
    assertThat(dgx1.bandwidthOf(4, FreeGpus.of(free)))
        .as("GPU 5 has links to 1, 4, 6 and 7 only")
        .isEqualTo(SOCKETS_OF_PCIE_3);
    assertThat(dgx1.bestSubset(5, free)).isEmpty();
    assertThat(dgx1.bandwidthOf(5, FreeGpus.of(free))).isZero();
  }

  @ParameterizedTest
  @CsvSource({"2, 63015", "3, 200000", "4, 200000", "5, 400000", "8, 400000"})
  void more_free_gpus_allow_a_better_promise_for_a_pair(int free, long mbps) {
    assertThat(dgx1.guaranteed(2, free)).isEqualTo(mbps);
    assertThat(dgx1.bandwidthOf(2, FreeGpus.any(free))).isEqualTo(mbps);
  }

  @Test
  void promise_is_the_best_of_the_worst_set() {
    for (int k = 2; k <= 8; k++) {
      long[] worst = LongStream.generate(() -> UNBOUNDED).limit(9).toArray();
      for (int mask = 0; mask < 256; mask++) {
        int bits = mask;
        SortedSet<Integer> free =
            new TreeSet<>(IntStream.range(0, 8).filter(i -> (bits >> i & 1) != 0).boxed().toList());
        if (free.size() >= k) {
          long best = dgx1.bandwidthOf(k, FreeGpus.of(free));
          worst[free.size()] = Math.min(worst[free.size()], best);
        }
      }
      for (int free = k; free <= 8; free++) {
        assertThat(dgx1.guaranteed(k, free)).as("%d of %d", k, free).isEqualTo(worst[free]);
      }
    }
  }

  @Test
  void unknown_gpu_index_does_not_throw() {
    SortedSet<Integer> wrong = new TreeSet<>(List.of(0, 12));
    assertThat(dgx1.bestSubset(1, wrong)).isEmpty();
    assertThat(dgx1.bandwidthOf(2, FreeGpus.of(wrong))).isZero();
  }

  @Test
  void first_dgx1_has_single_links_everywhere() {
    MachineModel first = MachineFamily.P100_CUBE_MESH.of(8).orElseThrow();
    assertThat(nvlinks(first)).hasSize(16).allMatch(link -> link.bandwidthMbps() == 160_000);
    assertThat(first.bestSubset(4)).containsExactly(0, 1, 2, 3);
    assertThat(first.bandwidthOf(8)).isEqualTo(160_000);
  }

  @ParameterizedTest
  @CsvSource({
    "V100_NVSWITCH, 16, 1200000",
    "A100_NVSWITCH, 8, 2400000",
    "HOPPER_NVSWITCH, 8, 3600000",
    "B200_NVSWITCH, 8, 7200000",
    "GB200_NVSWITCH, 4, 7200000",
    "A100_NVSWITCH, 4, 800000"
  })
  void all_gpu_sets_behind_nvswitch_are_equal(MachineFamily family, int gpus, long mbps) {
    MachineModel machine = family.of(gpus).orElseThrow();
    for (int k = 2; k <= gpus; k++) {
      assertThat(machine.bandwidthOf(k)).isEqualTo(mbps);
      assertThat(machine.guaranteed(k)).isEqualTo(mbps);
      assertThat(machine.guaranteed(k, gpus)).isEqualTo(mbps);
      assertThat(machine.bestSubset(k)).isEqualTo(IntStream.range(0, k).boxed().toList());
    }
  }

  @Test
  void pcie_cards_are_best_on_one_socket() {
    MachineModel machine = MachineFamily.PCIE_3.of(8).orElseThrow();
    assertThat(machine.bestSubset(4)).containsExactly(0, 1, 2, 3);
    assertThat(machine.bandwidthOf(4)).isEqualTo(126_030);
    assertThat(machine.bandwidthOf(5))
        .as("five do not fit on a socket")
        .isEqualTo(SOCKETS_OF_PCIE_3);
    assertThat(machine.guaranteed(2)).isEqualTo(SOCKETS_OF_PCIE_3);
  }

  @Test
  void one_gpu_crosses_no_link() {
    assertThat(dgx1.bandwidthOf(1)).isEqualTo(UNBOUNDED);
    assertThat(dgx1.guaranteed(1)).isEqualTo(UNBOUNDED);
    assertThat(dgx1.bestSubset(1)).containsExactly(0);
  }

  @Test
  void more_gpus_than_there_are_is_an_error() {
    assertThatThrownBy(() -> dgx1.bandwidthOf(9))
        .hasMessageContaining("9 GPUs")
        .hasMessageContaining("has 8");
    assertThatThrownBy(() -> dgx1.guaranteed(4, 3)).hasMessageContaining("of which 3 are free");
    assertThatThrownBy(() -> dgx1.bestSubset(0)).hasMessageContaining("0 GPUs");
    assertThatThrownBy(() -> new MachineModel("NVL72", 72, List.of()))
        .hasMessageContaining("topology level");
  }

  @ParameterizedTest
  @CsvSource({
    "DGX-1,                        Tesla-V100-SXM2-16GB,       V100_CUBE_MESH,  8",
    "DGX-1-with-V100-32,           '',                         V100_CUBE_MESH,  8",
    "DGX-1,                        Tesla-P100-SXM2-16GB,       P100_CUBE_MESH,  8",
    "NVIDIA-DGX-2,                 Tesla-V100-SXM3-32GB,       V100_NVSWITCH,  16",
    "NVIDIA DGX A100,              '',                         A100_NVSWITCH,   8",
    "DGXA100-920-23687-2530-000,   NVIDIA-A100-SXM4-40GB,      A100_NVSWITCH,   8",
    "DGXH100,                      NVIDIA-H100-80GB-HBM3,      HOPPER_NVSWITCH, 8",
    "DGXB200,                      NVIDIA-B200,                B200_NVSWITCH,   8",
  })
  void dgx_is_recognised_by_name_regardless_of_the_count(
      String machine, String product, MachineFamily family, int gpus) {
    Map<String, String> labels =
        Map.of("nvidia.com/gpu.machine", machine, "nvidia.com/gpu.product", product);
    assertThat(MachineFamily.recognise(labels, "", 7)).isEqualTo(family.of(gpus)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "Tesla-V100-SXM2-32GB, 8, V100_CUBE_MESH",
    "Tesla-V100-SXM2-16GB, 4, V100_CUBE_MESH",
    "Tesla-V100-PCIE-16GB, 2, PCIE_3",
    "Tesla-P100-PCIE-16GB, 4, PCIE_3",
    "Tesla-P4, 1, PCIE_3",
    "Tesla-T4, 4, PCIE_3",
    "NVIDIA-GeForce-GTX-1080-Ti, 8, PCIE_3",
    "GeForce-GTX-1080-Ti, 8, PCIE_3",
    "NVIDIA-L4, 8, PCIE_4",
    "NVIDIA-L40S, 8, PCIE_4",
    "NVIDIA-A10, 4, PCIE_4",
    "NVIDIA-A10G, 4, PCIE_4",
    "A100-PCIE-40GB, 2, PCIE_4",
    "NVIDIA-A100-80GB-PCIe, 2, PCIE_4",
    "A100-SXM4-40GB, 8, A100_NVSWITCH",
    "NVIDIA-H100-PCIe, 4, PCIE_5",
    "NVIDIA-H200, 8, HOPPER_NVSWITCH",
    "NVIDIA-H200-NVL, 4, PCIE_5",
    "NVIDIA-GB200, 4, GB200_NVSWITCH"
  })
  void other_machines_are_recognised_by_product_and_count(
      String product, int gpus, MachineFamily family) {
    Map<String, String> labels =
        Map.of("nvidia.com/gpu.product", product, "nvidia.com/gpu.machine", "p3.16xlarge");
    assertThat(MachineFamily.recognise(labels, "", gpus)).isEqualTo(family.of(gpus)).isPresent();
  }

  @Test
  void count_label_overrides_the_gpus_in_service() {
    Map<String, String> labels =
        Map.of("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count", "8");
    assertThat(MachineFamily.recognise(labels, "", 7))
        .isEqualTo(MachineFamily.HOPPER_NVSWITCH.of(8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Tesla-K80",
        "A100-SXM4-40GB-MIG-1g.5gb",
        "Tesla-T4-SHARED",
        "NVIDIA-GH200-480GB",
        "L400"
      })
  void unknown_machine_is_not_guessed(String product) {
    assertThat(MachineFamily.recognise(Map.of("nvidia.com/gpu.product", product), "", 4))
        .isEqualTo(Optional.empty());
  }

  @Test
  void six_v100_on_sxm2_are_no_dgx() {
    assertThat(MachineFamily.V100_CUBE_MESH.of(6)).isEmpty();
    assertThat(MachineFamily.V100_CUBE_MESH.of(0)).isEmpty();
    assertThat(MachineFamily.V100_CUBE_MESH.of(9)).isEmpty();
  }

  private static List<Link> nvlinks(MachineModel machine) {
    return machine.links().stream()
        .filter(link -> !link.a().relays() && !link.b().relays())
        .toList();
  }
}
