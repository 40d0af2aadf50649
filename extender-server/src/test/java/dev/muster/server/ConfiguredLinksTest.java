package dev.muster.server;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.kit.Scene;
import dev.muster.core.topology.Interconnect;
import dev.muster.core.topology.Topology;
import dev.muster.policy.config.ConfigurationLoader;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Configured links change the placement of gangs.
class ConfiguredLinksTest {
  private static final String RACKS =
      """
      apiVersion: config.muster.dev/v1
      kind: MusterConfiguration
      topology:
        levels:
          - {name: block, label: block, bandwidth: 200Gbps}
          - {name: rack, label: rack, bandwidth: 400Gbps}
      """;

  private static final String TWO_BLOCKS =
      """
      b1/r1: a1[....]
      b1/r2: a2[....]
      b2/r1: c1[....]
      b2/r2: c2[....]
      """;

  @Test
  void racks_joined_by_a_wide_link_precede_equally_near_racks() {
    assertThat(Scene.on(topology(""), TWO_BLOCKS).arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("a1", "a2");
    Topology joined = topology("  links: [{between: [b2/r1, b2/r2], bandwidth: 1600Gbps}]\n");
    assertThat(Scene.on(joined, TWO_BLOCKS).arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("c1", "c2");
  }

  @Test
  void racks_joined_by_a_wide_link_come_first_within_a_block() {
    Topology joined = topology("  links: [{between: [b1/r2, b1/r4], bandwidth: 1600Gbps}]\n");
    String block = "b1/r1: a[....]\nb1/r2: c[....]\nb1/r3: d[....]\nb1/r4: e[....]";
    assertThat(Scene.on(joined, block).arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("c", "e");
    assertThat(Scene.on(joined, block).arrives(gang("a").of(3, 4)).nodesOf("a"))
        .as("three racks share the level's bandwidth whichever they are")
        .containsExactly("a", "c", "d");
    assertThat(Scene.on(joined, block).arrives(gang("b").sliced(2, "rack").of(4, 2)).nodesOf("b"))
        .containsExactly("c", "c", "e", "e");
  }

  @Test
  void widest_of_many_links_counts() {
    Topology joined =
        topology(
            """
              links:
                - {between: [b1/r1, b1/r2], bandwidth: 300Gbps}
                - {between: [b1/r2, b1/r3], bandwidth: 350Gbps}
                - {between: [b1/r3, b1/r4], bandwidth: 320Gbps}
            """);
    String block = "b1/r1: a[....]\nb1/r2: c[....]\nb1/r3: d[....]\nb1/r4: e[....]";
    assertThat(Scene.on(joined, block).arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("c", "d");
    assertThat(Scene.on(joined, block).arrives(gang("a").of(3, 4)).nodesOf("a"))
        .containsExactly("c", "d", "e");
  }

  @Test
  void nodes_on_a_rail_come_first_within_a_rack() {
    Topology railed =
        topology(
            """
              links:
                - {between: [node:n2, switch:rail], bandwidth: 800Gbps}
                - {between: [node:n4, switch:rail], bandwidth: 800Gbps}
            """);
    String rack = "b1/r1: n1[....] n2[....] n3[....] n4[....]";
    assertThat(Scene.on(railed, rack).arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("n2", "n4");
  }

  @Test
  void nodes_on_a_rail_precede_equally_near_nodes() {
    Topology railed =
        topology(
            """
              links:
                - {between: [node:c1, switch:rail], bandwidth: 800Gbps}
                - {between: [node:c2, switch:rail], bandwidth: 800Gbps}
            """);
    String racks = "b1/r1: a1[....] a2[....]\nb1/r2: c1[....] c2[....]";
    assertThat(Scene.on(railed, racks).arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("c1", "c2");
  }

  @Test
  void no_link_outweighs_a_nearer_domain() {
    Topology joined = topology("  links: [{between: [b1/r1, b1/r2], bandwidth: 1600Gbps}]\n");
    String racks = "b1/r1: a1[....]\nb1/r2: a2[....]\nb1/r3: c1[....] c2[....]";
    assertThat(Scene.on(joined, racks).arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("c1", "c2");
  }

  @Test
  void without_links_the_levels_decide() {
    assertThat(topology("").locality().links()).isEqualTo(Interconnect.NONE);
  }

  private static Topology topology(String links) {
    byte[] text = (RACKS + links).getBytes(StandardCharsets.UTF_8);
    return new Assembly(
            ConfigurationLoader.load("muster.yaml", text).orThrow(IllegalStateException::new))
        .topology();
  }
}
