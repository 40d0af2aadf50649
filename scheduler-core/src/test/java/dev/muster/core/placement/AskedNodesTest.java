package dev.muster.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.placement.request.SearchResult;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// A search that fails compares each node once with what each kind of members selects.
class AskedNodesTest {
  private static final int NODES = 5;
  private static final String ZONE = "zone";

  private final Scene scene = Scene.of("b/r: full[#]");
  private int comparisons;

  AskedNodesTest() {
    for (int i = 0; i < NODES; i++) {
      see(Scene.of("b/r: n" + i + "[....]").state("n" + i).node());
    }
  }

  /// Sees the node with one label only, so each look at its labels is one comparison.
  private void see(Node node) {
    TreeMap<String, String> labels =
        new TreeMap<>((one, other) -> {
          comparisons++;
          return Comparator.<String>naturalOrder().compare(one, other);
        });
    labels.put(ZONE, "b");
    scene.then(
        new Event.NodeSeen(
            scene.now(),
            new Node(
                node.id(),
                labels,
                node.allocatable(),
                node.gpus(),
                node.model(),
                node.taints(),
                false,
                List.of())));
  }

  private static NodeSelection in(String zone) {
    Requirement there = new Requirement(ZONE, Operator.IN, List.of(zone));
    return new NodeSelection(List.of(there), List.of(), List.of());
  }

  /// Returns how often a label of these nodes is read in a search that fails.
  private int comparisons(GangDraft draft) {
    Gang gang = Scene.of("b/r: full[#]").arrives(draft).gang("g");
    Cluster cluster = scene.cluster();
    comparisons = 0;
    SearchResult result =
        PlacementSearch.search(cluster, gang, gang.members().values(), SortedKeys.empty());
    assertThat(result).isInstanceOf(SearchResult.NotFound.class);
    return comparisons;
  }

  @Test
  void pod_that_no_node_matches() {
    assertThat(comparisons(GangDraft.gang("g").selecting(in("a")).of(1, 1))).isEqualTo(NODES);
  }

  @Test
  void gang_for_which_the_matching_nodes_have_too_little() {
    assertThat(comparisons(GangDraft.gang("g").selecting(in("b")).of(NODES + 1, 4)))
        .isEqualTo(NODES);
  }

  @Test
  void gang_of_two_kinds() {
    assertThat(comparisons(GangDraft.gang("g").selecting(in("b")).of(4, 4).of(5, 1)))
        .isEqualTo(2 * NODES);
  }
}
