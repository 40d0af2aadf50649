package dev.muster.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The memory of avoided nodes is bounded and shared fairly, and its index is true.
class NodeAvoidanceTest {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final NodeId A = new NodeId("a");

  @Test
  void namespace_with_many_workloads_displaces_its_own_oldest_one() {
    NodeAvoidance avoidance = rejected(NodeAvoidance.NONE, id("quiet", 0), A, START);
    avoidance = filled(avoidance, "busy", NodeAvoidance.OF_NAMESPACE + 2);
    assertThat(avoidance.byGang().size()).isEqualTo(1 + NodeAvoidance.OF_NAMESPACE);
    assertThat(avoidance.byGang().contains(id("quiet", 0))).isTrue();
    assertThat(avoidance.byGang().contains(id("busy", 1))).isFalse();
    assertThat(avoidance.byGang().contains(id("busy", 2))).isTrue();
  }

  @Test
  void full_memory_loses_a_workload_of_the_namespace_with_the_most() {
    NodeAvoidance avoidance = filled(NodeAvoidance.NONE, "busy", NodeAvoidance.OF_NAMESPACE);
    for (int i = 0; avoidance.byGang().size() < NodeAvoidance.IN_TOTAL; i++) {
      int left = NodeAvoidance.IN_TOTAL - avoidance.byGang().size();
      avoidance = filled(avoidance, "team-" + i, Math.min(left, NodeAvoidance.OF_NAMESPACE - 1));
    }
    avoidance = rejected(avoidance, id("quiet", 0), A, START);
    assertThat(avoidance.byGang().size()).isEqualTo(NodeAvoidance.IN_TOTAL);
    assertThat(avoidance.byGang().contains(id("quiet", 0))).isTrue();
    assertThat(avoidance.memory().size("busy")).isEqualTo(NodeAvoidance.OF_NAMESPACE - 1);
  }

  @Test
  void tick_changes_nothing_before_the_first_time_is_over() {
    NodeAvoidance avoidance = filled(NodeAvoidance.NONE, "ml", 9);
    assertThat(avoidance.at(START.plusSeconds(59))).isSameAs(avoidance);
    assertThat(avoidance.at(START.plusSeconds(60)).blaming(A).size()).isEqualTo(8);
  }

  @Test
  void nothing_is_left_once_all_failures_are_forgotten() {
    NodeAvoidance avoidance = filled(NodeAvoidance.NONE, "ml", 9);
    assertThat(avoidance.at(START.plus(Duration.ofHours(2)))).isEqualTo(NodeAvoidance.NONE);
  }

  @Test
  void index_equals_a_search_through_all_gangs() {
    Random random = new Random(7);
    NodeAvoidance avoidance = NodeAvoidance.NONE;
    List<NodeId> nodes = List.of(A, new NodeId("b"), new NodeId("c"), new NodeId("d"));
    for (int step = 0; step < 2_000; step++) {
      NodeId node = nodes.get(random.nextInt(nodes.size()));
      Instant now = START.plusSeconds(20L * step);
      avoidance =
          random.nextInt(50) == 0
              ? avoidance.without(node)
              : rejected(avoidance.at(now), id("ml", random.nextInt(20)), node, now);
      for (NodeId each : nodes) {
        assertThat(avoidance.blaming(each)).isEqualTo(blaming(avoidance, each));
      }
    }
  }

  private static SortedKeys<GangId> blaming(NodeAvoidance avoidance, NodeId node) {
    return SortedKeys.of(
        avoidance.byGang().entries().stream()
            .filter(entry -> blames(entry.value(), node))
            .map(SortedTable.Entry::key)
            .toList());
  }

  private static boolean blames(AvoidedNodes known, NodeId node) {
    return known.strict().size() <= AvoidedNodes.OF_NODES && known.strict().contains(node);
  }

  private static NodeAvoidance filled(NodeAvoidance before, String namespace, int workloads) {
    NodeAvoidance avoidance = before;
    for (int i = 0; i < workloads; i++) {
      avoidance = rejected(avoidance, id(namespace, i), A, START.plusMillis(i));
    }
    return avoidance;
  }

  private static NodeAvoidance rejected(
      NodeAvoidance before, GangId gang, NodeId node, Instant at) {
    AvoidedNodes.Cause cause = AvoidedNodes.Cause.REJECTED;
    return before.with(gang, before.of(gang).after(node, cause, at, Optional.empty()));
  }

  private static GangId id(String namespace, int number) {
    return new GangId(namespace, GangId.Origin.POD, namespace + "/job-" + number);
  }
}
