package dev.muster.core.placement.exact;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.ScoredPlan;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The worked example of [DomainCosts] holds for each of its tables.
class DomainCostsTest {
  private static final String TWO_RACKS =
      """
      -/r1: n1[........] n2[....]
      -/r2: n3[........] n4[....]
      """;

  private final PlacementRequest query = question(gang("a").of(4, 4));
  private final DomainCosts costTable = new DomainCosts(query, ModelFilter.ANY, Integer.MAX_VALUE);
  private final TopologyDomain all = query.cluster().fabric();

  private static PlacementRequest question(GangDraft gang) {
    Topology racks = new Topology(List.of(new TopologyLevel("rack", "rack")));
    Cluster cluster = Scene.on(racks, TWO_RACKS).cluster();
    for (Member member : gang.members()) {
      cluster = cluster.apply(new Event.MemberSeen(cluster.now(), member));
    }
    cluster = cluster.apply(new Event.GangSeen(cluster.now(), gang.spec()));
    return PlacementRequest.of(
        cluster, cluster.gang(gang.id()), gang.members(), SortedKeys.empty());
  }

  @Test
  void each_table_is_computed_from_the_tables_below() {
    for (TopologyDomain rack : all.children()) {
      CostNode.PartProfile part = (CostNode.PartProfile) costTable.of(rack);
      assertThat(table(part.children().getFirst()))
          .containsExactly("1: 0, 1 / 16000 / 0 / 8", "2: 0, 1 / 0 / 0 / 8");
      assertThat(table(part.children().getLast())).containsExactly("1: 0, 1 / 0 / 0 / 4");

      MinPlusSum sum = new MinPlusSum(query.members(), query.terms());
      part.children().forEach(sum::add);
      assertThat(table(sum.profile()))
          .containsExactly("1: 0, 1 / 0 / 0 / 4", "2: 0, 1 / 0 / 0 / 8", "3: 0, 2 / 0 / 0 / 12");
      assertThat(table(part))
          .containsExactly("1: 1, 1 / 0 / 12 / 4", "2: 1, 1 / 0 / 12 / 8", "3: 1, 2 / 0 / 12 / 12");
    }
    assertThat(table(costTable.of(all)))
        .containsExactly(
            "1: 1, 1 / 0 / 12 / 4",
            "2: 1, 1 / 0 / 12 / 8",
            "3: 1, 2 / 0 / 12 / 12",
            "4: 2, 2 / 0 / 24 / 16");
  }

  @Test
  void cheapest_distribution_is_chosen() {
    ScoredPlan best = costTable.candidate(all).orElseThrow();
    assertThat(best.plan().parts())
        .extracting(part -> part.node().id().name() + " " + part.members())
        .containsExactly("n1 2", "n3 2");
    assertThat(best.score().spans()).containsExactly(2L, 2L);
  }

  private List<String> table(CostNode part) {
    CostLayout terms = query.terms();
    int[] states = part.costs().states();
    long[] cost = part.costs().words();
    List<String> table = new ArrayList<>();
    for (int i = 0; i < states.length; i++) {
      int at = i * terms.words();
      table.add(
          "%d: %d, %d / %d / %d / %d"
              .formatted(
                  states[i],
                  terms.spans(cost, at, 1),
                  terms.spans(cost, at, 2),
                  cost[at + terms.leftover()],
                  cost[at + terms.freeGpus()],
                  cost[at + terms.slack()]));
    }
    return table;
  }
}
