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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InterconnectTest {
  private static final Topology BLOCKS_AND_RACKS =
      new Topology(
          List.of(new TopologyLevel("block", "x/block"), new TopologyLevel("rack", "x/rack")));

  @Test
  void aTreeIsAsNarrowAsTheHighestSwitchThatTheGangCrosses() {
    Interconnect tree = tree();
    assertThat(tree.bottleneck(nodes("n1", "n2"))).as("one rack").isEqualTo(400_000);
    assertThat(tree.bottleneck(nodes("n1", "n3"))).as("two racks").isEqualTo(200_000);
    assertThat(tree.bottleneck(nodes("n1", "n2", "n4"))).as("two blocks").isEqualTo(100_000);
  }

  @Test
  void aNodeWithoutRackLabelHangsOnItsBlock() {
    Interconnect tree =
        Interconnect.ofLevels(
            levels(), Map.of("n1", path("b1", "r1"), "n2", path("b1", DomainPath.UNLABELLED)));
    assertThat(tree.links())
        .containsExactly(
            new Link(new Node("n1"), new Domain(path("b1", "r1")), 400_000),
            new Link(new Node("n2"), new Domain(path("b1")), 200_000),
            new Link(new Domain(path("b1")), new Domain(path("b1", "r1")), 200_000),
            new Link(new Domain(DomainPath.ROOT), new Domain(path("b1")), 100_000));
  }

  @Test
  void aSecondUplinkAddsToTheFirstBetweenTheSameSwitches() {
    Link uplink = link(new Switch("leaf"), new Switch("spine"), 100);
    assertThat(new Interconnect(List.of(uplink, uplink)).links())
        .containsExactly(link(new Switch("leaf"), new Switch("spine"), 200));
  }

  @Test
  void aLeafWithTwoSpinesTakesTheWiderForEachPairButBothForAllTraffic() {
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
    assertThat(fabric.between(nodes("n1"), nodes("n2"))).isEqualTo(300);
  }

  @Test
  void railsShortenTheWayThatTheTreeMakesLong() {
    Interconnect railed =
        tree()
            .plus(
                List.of(
                    link(new Node("n1"), new Switch("rail0"), 300_000),
                    link(new Node("n4"), new Switch("rail0"), 300_000)));
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
  void nodesOfARingPassTrafficOfTheirOwnGangOnly() {
    Interconnect ring = ringOfNodes(4);
    assertThat(ring.bottleneck(nodes("n0", "n2"))).as("n1 and n3 belong to others").isZero();
    assertThat(ring.bottleneck(nodes("n0", "n1", "n2"))).isEqualTo(100);
    assertThat(
            ring.bisection(List.of(new Node("n0"), new Node("n1"), new Node("n2"), new Node("n3"))))
        .as("a ring is cut in two places")
        .isEqualTo(200);
  }

  @Test
  void theBisectionGoesByRankOrder() {
    List<Node> alongTheRacks =
        List.of(new Node("n1"), new Node("n2"), new Node("n3"), new Node("n4"));
    List<Node> acrossThem = List.of(new Node("n1"), new Node("n3"), new Node("n2"), new Node("n4"));
    Interconnect oneBlock =
        Interconnect.ofLevels(
            levels(),
            Map.of(
                "n1",
                path("b", "r1"),
                "n2",
                path("b", "r1"),
                "n3",
                path("b", "r2"),
                "n4",
                path("b", "r2")));
    assertThat(oneBlock.bisection(alongTheRacks)).as("one rack's uplink").isEqualTo(200_000);
    assertThat(oneBlock.bisection(acrossThem))
        .as("within the racks two nodes' links")
        .isEqualTo(800_000);
  }

  @Test
  void aGangOfOneCrossesNoLink() {
    assertThat(tree().bottleneck(nodes("n1"))).isEqualTo(UNBOUNDED);
    assertThat(tree().bisection(List.of(new Node("n1")))).isEqualTo(UNBOUNDED);
  }

  @Test
  void whatIsNotJoinedOrNotKnownCountsNothing() {
    assertThat(tree().bottleneck(nodes("n1", "stranger"))).isZero();
    assertThat(Interconnect.NONE.bottleneck(nodes("n1", "n2"))).isZero();
    Interconnect unknown =
        Interconnect.ofLevels(LevelBandwidths.UNKNOWN, Map.of("n1", path("b"), "n2", path("b")));
    assertThat(unknown.bottleneck(nodes("n1", "n2"))).isZero();
    assertThat(unknown.between(nodes("n1"), nodes("n2"))).isZero();
  }

  @Test
  void badLinksAreRefused() {
    Node node = new Node("n1");
    assertThatThrownBy(() -> new Link(node, node, 1))
        .hasMessageContaining("n1")
        .hasMessageContaining("itself");
    assertThatThrownBy(() -> new Link(node, new Node("n2"), -1)).hasMessageContaining("-1 Mbit/s");
    Link widest = new Link(node, new Node("n2"), Interconnect.MAX_TOTAL_MBPS);
    assertThatThrownBy(() -> new Interconnect(List.of(widest, widest)))
        .hasMessageContaining("Maybe");
    assertThatThrownBy(() -> tree().between(nodes("n1"), nodes("n1", "n2")))
        .hasMessageContaining("both parts");
  }

  @Test
  void bandwidthsAreGivenByLevelName() {
    assertThat(LevelBandwidths.of(BLOCKS_AND_RACKS, Map.of("cluster", 100L, "x/rack", 400L)).mbps())
        .containsExactly(100L, 0L, 400L);
    assertThatThrownBy(() -> LevelBandwidths.of(BLOCKS_AND_RACKS, Map.of("rock", 1L)))
        .hasMessageContaining("\"rock\"")
        .hasMessageContaining("[cluster, block, rack]");
    assertThatThrownBy(() -> LevelBandwidths.of(BLOCKS_AND_RACKS, Map.of("node", 1L)))
        .hasMessageContaining("machine model");
  }

  private static LevelBandwidths levels() {
    return new LevelBandwidths(List.of(100_000L, 200_000L, 400_000L));
  }

  private static Interconnect tree() {
    return Interconnect.ofLevels(
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
