package dev.muster.core.topology;

import static dev.muster.core.topology.Interconnect.UNBOUNDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.topology.Vertex.Domain;
import dev.muster.core.topology.Vertex.Node;
import dev.muster.core.topology.Vertex.Switch;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InterconnectTest {
  private static final Topology BLOCKS_AND_RACKS =
      new Topology(
          List.of(new TopologyLevel("block", "x/block"), new TopologyLevel("rack", "x/rack")));

  @Test
  void tree_is_as_narrow_as_the_highest_crossed_switch() {
    Interconnect tree = tree();
    assertThat(tree.bottleneck(nodes("n1", "n2"))).as("one rack").isEqualTo(400_000);
    assertThat(tree.bottleneck(nodes("n1", "n3"))).as("two racks").isEqualTo(200_000);
    assertThat(tree.bottleneck(nodes("n1", "n2", "n4"))).as("two blocks").isEqualTo(100_000);
  }

  @Test
  void node_without_rack_label_is_attached_to_its_block() {
    Interconnect tree =
        Interconnect.NONE.over(
            levels(), Map.of("n1", path("b1", "r1"), "n2", path("b1", DomainPath.UNLABELLED)));
    assertThat(tree.links())
        .containsExactly(
            new Link(new Node("n1"), new Domain(path("b1", "r1")), 400_000),
            new Link(new Node("n2"), new Domain(path("b1")), 200_000),
            new Link(new Domain(path("b1")), new Domain(path("b1", "r1")), 200_000),
            new Link(new Domain(DomainPath.ROOT), new Domain(path("b1")), 100_000));
  }

  @Test
  void second_uplink_adds_to_the_first_between_equal_switches() {
    Link uplink = link(new Switch("leaf"), new Switch("spine"), 100);
    assertThat(new Interconnect(List.of(uplink, uplink)).links())
        .containsExactly(link(new Switch("leaf"), new Switch("spine"), 200));
    Link widest = link(new Switch("leaf"), new Switch("spine"), Interconnect.MAX_MBPS);
    assertThat(new Interconnect(List.of(uplink, widest)).links()).containsExactly(widest);
  }

  @Test
  void leaf_with_two_spines_uses_the_wider() {
    Interconnect fabric =
        new Interconnect(
            List.of(
                link(new Node("n1"), new Switch("leaf1"), 400),
                link(new Node("n2"), new Switch("leaf2"), 400),
                link(new Switch("leaf1"), new Switch("spine1"), 100),
                link(new Switch("leaf1"), new Switch("spine2"), 200),
                link(new Switch("leaf2"), new Switch("spine1"), 100),
                link(new Switch("leaf2"), new Switch("spine2"), 200)));
    assertThat(fabric.bottleneck(nodes("n1", "n2"))).isEqualTo(200);
  }

  @Test
  void rails_shorten_long_tree_paths() {
    Interconnect railed =
        overTree(
            link(new Node("n1"), new Switch("rail0"), 300_000),
            link(new Node("n4"), new Switch("rail0"), 300_000));
    assertThat(tree().bottleneck(nodes("n1", "n4"))).isEqualTo(100_000);
    assertThat(railed.bottleneck(nodes("n1", "n4"))).isEqualTo(300_000);
    assertThat(railed.bottleneck(nodes("n2", "n4")))
        .as("n1 does not relay for others")
        .isEqualTo(100_000);
    assertThat(railed.bottleneck(nodes("n1", "n2", "n4")))
        .as("n1 relays for its gang")
        .isEqualTo(300_000);
  }

  @Test
  void link_between_domains_shortens_paths_of_their_members() {
    Interconnect joined = overTree(link(new Domain(path("b1")), new Domain(path("b2")), 300_000));
    assertThat(joined.bottleneck(nodes("n1", "n4"))).as("a rack's uplink").isEqualTo(200_000);
    Interconnect racks =
        overTree(link(new Domain(path("b1", "r1")), new Domain(path("b1", "r2")), 300_000));
    assertThat(racks.bottleneck(nodes("n1", "n3"))).isEqualTo(300_000);
    assertThat(racks.bottleneck(nodes("n1", "n4"))).isEqualTo(100_000);
  }

  @Test
  void domain_without_members_relays_at_the_width_of_its_uplink() {
    Interconnect viaOtherRack =
        overTree(link(new Domain(path("b1", "r1")), new Domain(path("b2", "r9")), 300_000));
    assertThat(viaOtherRack.bottleneck(nodes("n1", "n4"))).isEqualTo(200_000);
  }

  @Test
  void link_to_the_enclosing_domain_is_a_second_uplink() {
    Link second = link(new Domain(path("b1", "r1")), new Domain(path("b1")), 300_000);
    assertThat(overTree(second).links())
        .contains(link(new Domain(path("b1", "r1")), new Domain(path("b1")), 500_000));
    assertThat(overTree(second).bottleneck(nodes("n1", "n3")))
        .as("the other rack has one uplink")
        .isEqualTo(200_000);
  }

  @Test
  void nodes_of_a_ring_relay_only_traffic_of_their_own_gang() {
    Interconnect ring = ringOfNodes(4);
    assertThat(ring.bottleneck(nodes("n0", "n2"))).as("n1 and n3 belong to others").isZero();
    assertThat(ring.bottleneck(nodes("n0", "n1", "n2"))).isEqualTo(100);
  }

  @Test
  void unions_grow_from_the_widest_link_down() {
    Switch a = new Switch("a");
    Switch b = new Switch("b");
    Switch c = new Switch("c");
    Switch d = new Switch("d");
    List<Link> links = List.of(link(a, b, 3), link(c, d, 3), link(b, c, 2), link(a, d, 1));
    assertThat(new Interconnect(links).unions())
        .containsExactly(
            new TreeSet<Vertex>(List.of(a, b)),
            new TreeSet<Vertex>(List.of(c, d)),
            new TreeSet<Vertex>(List.of(a, b, c, d)));
    assertThat(new Interconnect(List.of(link(a, b, 1), link(b, c, 1))).unions())
        .as("one width, one set")
        .containsExactly(new TreeSet<Vertex>(List.of(a, b, c)));
    assertThat(Interconnect.NONE.unions()).isEmpty();
  }

  @Test
  void gang_of_one_crosses_no_link() {
    assertThat(tree().bottleneck(nodes("n1"))).isEqualTo(UNBOUNDED);
  }

  @Test
  void unknown_or_missing_links_count_nothing() {
    assertThat(tree().bottleneck(nodes("n1", "stranger"))).isZero();
    assertThat(Interconnect.NONE.bottleneck(nodes("n1", "n2"))).isZero();
    Interconnect unknown =
        Interconnect.NONE.over(LevelBandwidths.UNKNOWN, Map.of("n1", path("b"), "n2", path("b")));
    assertThat(unknown.bottleneck(nodes("n1", "n2"))).isZero();
  }

  @Test
  void bad_links_are_refused() {
    Node node = new Node("n1");
    assertThatThrownBy(() -> new Link(node, node, 1))
        .hasMessageContaining("n1")
        .hasMessageContaining("itself");
    assertThatThrownBy(() -> new Link(node, new Node("n2"), -1)).hasMessageContaining("-1 Mbit/s");
  }

  @Test
  void bandwidths_are_given_by_level_name() {
    assertThat(LevelBandwidths.of(BLOCKS_AND_RACKS, Map.of("cluster", 100L, "x/rack", 400L)).mbps())
        .containsExactly(100L, 0L, 400L);
    assertThatThrownBy(() -> LevelBandwidths.of(BLOCKS_AND_RACKS, Map.of("rock", 1L)))
        .hasMessageContaining("\"rock\"")
        .hasMessageContaining("Known: cluster, block, rack.");
    assertThatThrownBy(() -> LevelBandwidths.of(BLOCKS_AND_RACKS, Map.of("node", 1L)))
        .hasMessageContaining("machine model");
  }

  private static LevelBandwidths levels() {
    return new LevelBandwidths(List.of(100_000L, 200_000L, 400_000L));
  }

  private static Interconnect tree() {
    return overTree();
  }

  private static Interconnect overTree(Link... links) {
    return new Interconnect(List.of(links))
        .over(
            levels(),
            Map.of(
                "n1",
                path("b1", "r1"),
                "n2",
                path("b1", "r1"),
                "n3",
                path("b1", "r2"),
                "n4",
                path("b2", "r1")));
  }

  private static Interconnect ringOfNodes(int size) {
    return new Interconnect(
        IntStream.range(0, size)
            .mapToObj(i -> link(new Node("n" + i), new Node("n" + (i + 1) % size), 100))
            .toList());
  }

  private static Link link(Vertex a, Vertex b, long mbps) {
    return new Link(a, b, mbps);
  }

  private static DomainPath path(String... values) {
    return new DomainPath(List.of(values));
  }

  private static Set<Node> nodes(String... names) {
    return IntStream.range(0, names.length)
        .mapToObj(i -> new Node(names[i]))
        .collect(Collectors.toSet());
  }
}
