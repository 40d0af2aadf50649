package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Link;
import dev.muster.core.topology.Vertex;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyLinksTest {
  private static final String LEVELS =
      "topology:\n  levels: [{name: block, label: b}, {name: rack, label: r}]\n  links: ";

  @Test
  void ends_are_domains_nodes_and_switches() {
    String links =
        """

            - {between: [b1/r1, "12"], bandwidth: 1600Gbps}
            - {between: [switch:leaf/7, /r3], bandwidth: 50GBps}
            - {between: [node:n1.example, switch:rail], bandwidth: 1Mbps}
        """;
    assertThat(
            links(
                "topology:\n  levels: [{name: a, label: b}, {name: c, label: d}]\n  links:"
                    + links))
        .containsExactly(
            new Link(domain("b1", "r1"), domain("12"), 1_600_000),
            new Link(new Vertex.Switch("leaf/7"), domain("", "r3"), 400_000),
            new Link(new Vertex.Node("n1.example"), new Vertex.Switch("rail"), 1));
  }

  @Test
  void preset_may_have_links_and_has_none_by_default() {
    assertThat(links("topology: {links: [{between: [eu/eu-1, eu/eu-2], bandwidth: 1Tbps}]}"))
        .containsExactly(new Link(domain("eu", "eu-1"), domain("eu", "eu-2"), 1_000_000));
    assertThat(links("topology: {preset: gke}")).isEmpty();
    assertThat(links("resync: 5m")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [{between: [b1/r1/n1, b1/r2], bandwidth: 1Gbps}] | 5:22: topology.links[0].between[0]: "b1/r1/n1" has 3 values, but the levels are [block, rack]. A node is written node:n1.
          [{between: [b1/r1, ""], bandwidth: 1Gbps}] | 5:29: topology.links[0].between[1]: "" is not well formed. Write a domain's label values in quotes, outermost first, like "block-1/rack-2", or node:NAME or switch:NAME.
          [{between: [b1/, "node:"], bandwidth: 1Gbps}] | 5:22
          [{between: [b1, 12], bandwidth: 1Gbps}] | 5:26: topology.links[0].between[1]: 12 must be text. Write a domain's label values in quotes, outermost first, like "block-1/rack-2", or node:NAME or switch:NAME.
          [{between: [b1, b1], bandwidth: 1Gbps}] | 5:26: topology.links[0].between[1]: "b1" is listed twice.
          [{between: [b1], bandwidth: 1Gbps}] | 5:21: topology.links[0].between: the list is too short: at least 2 needed.
          [{between: [b1, b2, b3], bandwidth: 1Gbps}] | 5:21: topology.links[0].between: the list is too long: at most 2 allowed.
          [{between: b1, bandwidth: 1Gbps}] | 5:21: topology.links[0].between: "b1" must be a list. Did you mean [b1]?
          [{between: [b1, b2]}] | 5:11: topology.links[0].bandwidth: is missing. A link looks like {between: [block-1/rack-1, block-1/rack-2], bandwidth: 400Gbps}.
          [{between: [b1, b2], bandwidth: 400}] | 5:42: topology.links[0].bandwidth: 400 must be text. Write it like 400Gbps (bits) or 900GBps (bytes).
          [{between: [b1, b2], bandwidth: 0Gbps}] | 5:42: topology.links[0].bandwidth: "0Gbps" is not a whole number of megabits per second.
          [{betwen: [b1, b2], bandwidth: 1Gbps}] | 5:12
          """)
  void mistakes_are_reported_with_their_places(String links, String problem) {
    assertThat(ExpectedRefusal.of(LEVELS + links)).contains("muster.yaml:" + problem);
  }

  @Test
  void paths_are_checked_against_the_levels_of_the_preset() {
    assertThat(
            ExpectedRefusal.of(
                "topology:\n  preset: gpu-clique\n  links: [{between: [a/b/c, a], bandwidth: 1Gbps}]"))
        .startsWith("muster.yaml:5:22: topology.links[0].between[0]: \"a/b/c\" has 3 values");
    assertThat(
            ExpectedRefusal.of(
                "topology:\n  preset: gek\n  links: [{between: [a/b/c, a], bandwidth: 1Gbps}]"))
        .isEqualTo(
            "muster.yaml:4:11: topology.preset: \"gek\" is not known. Did you mean \"gke\"?");
  }

  private static Vertex domain(String... values) {
    return new Vertex.Domain(new DomainPath(List.of(values)));
  }

  private static List<Link> links(String fields) {
    String text = "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\n" + fields;
    return ConfigurationLoader.load("muster.yaml", text.getBytes(StandardCharsets.UTF_8))
        .orThrow(IllegalStateException::new)
        .topology()
        .links();
  }
}
