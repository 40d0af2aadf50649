package dev.muster.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.topology.Locality.Segment;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LocalityTest {
  private static final DomainPath RACK_1 = new DomainPath(List.of("b1", "r1"));
  private static final DomainPath RACK_2 = new DomainPath(List.of("b1", "r2"));
  private static final Optional<MachineModel> DGX_1 = MachineFamily.V100_CUBE_MESH.of(8);
  private static final Optional<MachineModel> DGX_H100 = MachineFamily.HOPPER_NVSWITCH.of(8);
  private static final Optional<MachineModel> T4S = MachineFamily.PCIE_3.of(4);

  private final Locality locality =
      new Locality(new LevelBandwidths(List.of(50_000L, 100_000L, 400_000L)), Interconnect.NONE);

  @Test
  void machine_model_decides_on_one_node() {
    assertThat(locality.score(List.of(idle("n1", DGX_H100, 4)))).isEqualTo(3_600_000);
    assertThat(locality.score(List.of(idle("n1", DGX_1, 2)))).isEqualTo(400_000);
    assertThat(locality.score(List.of(idle("n1", T4S, 4)))).isEqualTo(63_015);
  }

  @Test
  void only_the_worst_gpus_are_promised_on_a_used_node() {
    assertThat(locality.score(List.of(inUse("n1", DGX_1, 2)))).isEqualTo(63_015);
    assertThat(locality.score(List.of(inUse("n1", DGX_H100, 2)))).isEqualTo(3_600_000);
  }

  @Test
  void best_of_the_known_free_gpus_count() {
    FreeGpus known = FreeGpus.of(new TreeSet<>(List.of(0, 5, 6, 7)));
    assertThat(locality.score(List.of(new Segment("n1", RACK_1, DGX_1, 2, known))))
        .isEqualTo(400_000);
    assertThat(locality.score(List.of(new Segment("n1", RACK_1, DGX_1, 2, FreeGpus.any(4)))))
        .as("0, 2, 5 and 7 have no double link among them")
        .isEqualTo(200_000);
  }

  @Test
  void narrowest_level_decides_across_nodes() {
    List<Segment> oneRack = List.of(idle("n1", DGX_H100, 8), idle("n2", DGX_H100, 8));
    List<Segment> twoRacks =
        List.of(idle("n1", DGX_H100, 8), new Segment("n3", RACK_2, DGX_H100, 8, FreeGpus.any(8)));
    assertThat(locality.score(oneRack)).isEqualTo(400_000);
    assertThat(locality.score(twoRacks)).isEqualTo(100_000);
  }

  @Test
  void node_narrower_than_the_network_limits_the_gang() {
    assertThat(locality.score(List.of(idle("n1", T4S, 4), idle("n2", T4S, 4)))).isEqualTo(63_015);
    assertThat(locality.score(List.of(idle("n1", T4S, 1), idle("n2", T4S, 1)))).isEqualTo(400_000);
  }

  @Test
  void rails_count_where_they_are_wider_than_the_tree() {
    Interconnect rails =
        new Interconnect(
            List.of(
                new Link(new Vertex.Node("n1"), new Vertex.Switch("rail"), 800_000),
                new Link(new Vertex.Node("n2"), new Vertex.Switch("rail"), 800_000)));
    Locality railed = new Locality(locality.levels(), rails);
    assertThat(railed.score(List.of(idle("n1", DGX_H100, 8), idle("n2", DGX_H100, 8))))
        .isEqualTo(800_000);
    assertThat(railed.score(List.of(idle("n1", DGX_H100, 8), idle("n9", DGX_H100, 8))))
        .isEqualTo(400_000);
  }

  @Test
  void racks_joined_by_a_link_are_as_wide_as_the_link_and_its_path() {
    Locality ringed =
        new Locality(
            locality.levels(),
            new Interconnect(
                List.of(new Link(new Vertex.Domain(RACK_1), new Vertex.Domain(RACK_2), 200_000))));
    Segment far = new Segment("n2", RACK_2, DGX_H100, 8, FreeGpus.any(8));
    Segment farther =
        new Segment("n3", new DomainPath(List.of("b1", "r3")), DGX_H100, 8, FreeGpus.any(8));
    Segment near = idle("n1", DGX_H100, 8);
    assertThat(ringed.score(List.of(near, far))).isEqualTo(200_000);
    assertThat(ringed.score(List.of(near, far, farther))).isEqualTo(100_000);
    assertThat(ringed.score(List.of(near, idle("n4", DGX_H100, 8)))).isEqualTo(400_000);
    assertThat(new Locality(LevelBandwidths.UNKNOWN, ringed.links()).score(List.of(near, far)))
        .as("the way from the nodes to the link is not known")
        .isZero();
  }

  @Test
  void unknown_bandwidth_counts_nothing() {
    assertThat(locality.score(List.of(idle("n1", Optional.empty(), 4)))).isZero();
    assertThat(locality.score(List.of(idle("n1", T4S, 5))))
        .as("more than the machine has")
        .isZero();
    assertThat(Locality.UNKNOWN.score(List.of(idle("n1", DGX_H100, 8), idle("n2", DGX_H100, 8))))
        .isZero();
    assertThat(
            locality.score(
                List.of(idle("n1", Optional.empty(), 8), idle("n2", Optional.empty(), 8))))
        .as("machines are taken to be wider than the network")
        .isEqualTo(400_000);
  }

  @Test
  void equal_knowledge_is_equal() {
    assertThat(new Locality(new LevelBandwidths(List.of()), new Interconnect(List.of())))
        .isEqualTo(Locality.UNKNOWN)
        .hasSameHashCodeAs(Locality.UNKNOWN)
        .isNotEqualTo(locality);
  }

  @Test
  void link_far_from_the_gang_does_not_count() {
    DomainPath farther = new DomainPath(List.of("b2", "r9"));
    Locality linked =
        new Locality(
            locality.levels(),
            new Interconnect(
                List.of(
                    new Link(new Vertex.Domain(RACK_1), new Vertex.Domain(farther), 800_000),
                    new Link(new Vertex.Node("n9"), new Vertex.Switch("rail"), 800_000))));
    Segment other = new Segment("n2", RACK_2, DGX_H100, 8, FreeGpus.any(8));
    assertThat(linked.score(List.of(idle("n1", DGX_H100, 8), other))).isEqualTo(100_000);
    assertThat(linked.score(List.of(idle("n1", DGX_H100, 8), idle("n3", DGX_H100, 8))))
        .isEqualTo(400_000);
  }

  @Test
  void fewer_than_two_gpus_cross_no_link() {
    List<Segment> launcherAndOne =
        List.of(idle("n1", Optional.empty(), 0), idle("n2", Optional.empty(), 1));
    assertThat(locality.score(launcherAndOne)).isEqualTo(Interconnect.UNBOUNDED);
    assertThat(locality.score(List.of())).isEqualTo(Interconnect.UNBOUNDED);
  }

  @Test
  void node_is_listed_once() {
    assertThatThrownBy(() -> locality.score(List.of(idle("n1", T4S, 1), idle("n1", T4S, 1))))
        .hasMessageContaining("listed twice");
  }

  private static Segment idle(String node, Optional<MachineModel> machine, int gpus) {
    return new Segment(
        node, RACK_1, machine, gpus, FreeGpus.any(machine.map(MachineModel::gpus).orElse(8)));
  }

  private static Segment inUse(String node, Optional<MachineModel> machine, int gpus) {
    return new Segment(node, RACK_1, machine, gpus, FreeGpus.any(gpus));
  }
}
