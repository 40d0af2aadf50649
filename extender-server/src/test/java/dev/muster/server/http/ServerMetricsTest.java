package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.AvoidedNodes;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState.NodeShare;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.page.MalformedQuery;
import dev.muster.server.http.page.NodeView;
import dev.muster.server.http.page.PageQuery;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Metrics are exposed as a scraper reads them.
class ServerMetricsTest {
  private final ServerMetrics metrics = new ServerMetrics(ServerImages.cluster()::state);

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void counts_decisions_and_effects_of_the_engine() {
    State after = ServerImages.cluster().train(2).waits(new Veto.TooFewMembers(1, 2, 0)).state();
    Decision waits = after.standing().get(ServerImages.TRAIN).orElseThrow();
    metrics.stepped(new Step(after, List.of(waits, waits), List.of()), Duration.ofMillis(3));
    assertThat(metrics.scrape())
        .contains("muster_decisions_total{kind=\"wait\"} 2.0")
        .contains("muster_engine_step_duration_seconds_bucket{le=\"0.001\"} 0")
        .contains("muster_engine_step_duration_seconds_bucket{le=\"0.005\"} 1")
        .contains("muster_engine_step_duration_seconds_sum 0.003");
  }

  @Test
  void counters_start_at_zero() {
    assertThat(metrics.scrape())
        .contains(
            "muster_decisions_total{kind=\"admit\"} 0.0",
            "muster_decisions_total{kind=\"plan\"} 0.0",
            "muster_decisions_total{kind=\"preempt\"} 0.0",
            "muster_decisions_total{kind=\"reject\"} 0.0",
            "muster_decisions_total{kind=\"release\"} 0.0",
            "muster_decisions_total{kind=\"wait\"} 0.0");
  }

  @Test
  void counts_waiting_gangs_by_reason() {
    ServerImages waits = ServerImages.cluster().train(2).waiting("one");
    AtomicReference<State> image =
        new AtomicReference<>(waits.waits(new Veto.TooFewMembers(1, 2, 0)).state());
    try (ServerMetrics seen = new ServerMetrics(image::get)) {
      assertThat(seen.scrape())
          .contains("muster_waiting_gangs{reason=\"WaitingForMembers\"} 1.0")
          .contains("muster_waiting_gpus{reason=\"WaitingForMembers\"} 8.0");
      image.set(waits.state());
      assertThat(seen.scrape()).doesNotContain("reason=\"WaitingForMembers\"");
    }
  }

  @Test
  void counts_gangs_that_avoid_a_node_while_they_do() {
    State calm = ServerImages.cluster().train(1).state();
    AtomicReference<State> image =
        new AtomicReference<>(avoiding(calm, ServerImages.TRAIN, List.of("gpu-1")));
    try (ServerMetrics seen = new ServerMetrics(image::get)) {
      assertThat(seen.scrape()).contains("muster_node_avoiding_gangs{node=\"gpu-1\"} 1.0");
      image.set(calm);
      assertThat(seen.scrape()).doesNotContain("node=\"gpu-1\"");
    }
  }

  /// One namespace cannot fill the list at the cost of a node that others avoid, too.
  @Test
  void node_that_two_namespaces_avoid_is_shown_before_those_of_one() {
    State state = ServerImages.cluster().state();
    List<String> many = IntStream.range(0, 60).mapToObj(i -> "a-" + i).toList();
    List<String> others = IntStream.range(0, 60).mapToObj(i -> "b-" + i).toList();
    for (int i = 0; i < 3; i++) {
      state = avoiding(state, new GangId("busy", GangId.Origin.POD_GROUP, "a" + i), many);
      state = avoiding(state, new GangId("busy", GangId.Origin.POD_GROUP, "b" + i), others);
    }
    state = avoiding(state, new GangId("ml", GangId.Origin.POD_GROUP, "x"), List.of("worn"));
    State all =
        avoiding(state, new GangId("vision", GangId.Origin.POD_GROUP, "x"), List.of("worn"));
    try (ServerMetrics seen = new ServerMetrics(() -> all)) {
      assertThat(seen.scrape()).contains("muster_node_avoiding_gangs{node=\"worn\"} 2.0");
    }
  }

  private static State avoiding(State state, GangId gang, List<String> nodes) {
    AvoidedNodes avoided = AvoidedNodes.NONE;
    for (String node : nodes) {
      avoided =
          avoided.after(
              new NodeId(node),
              AvoidedNodes.Cause.REJECTED,
              state.cluster().now(),
              Optional.empty());
    }
    return state.with(state.cluster().avoiding(gang, avoided));
  }

  @Test
  void gpus_are_free_used_or_promised_regardless_of_holds() throws MalformedQuery {
    State image = ServerImages.cluster().train(1).bound("r0", "gpu-1").state();
    NodeShare all = new NodeShare(Resources.of(ServerImages.GPU, 8), 8);
    SortedTable<NodeId, Hold.Share> none = SortedTable.empty();
    Hold drained =
        new Hold(
            ServerImages.lone("big"),
            Hold.Kind.DRAINING,
            Optional.empty(),
            ServerImages.NOW,
            none.with(new NodeId("gpu-2"), new Hold.Share(all, SortedKeys.empty())));
    State kept = image.with(image.cluster().with(drained));

    try (ServerMetrics seen = new ServerMetrics(() -> kept)) {
      assertThat(seen.scrape())
          .contains("muster_gpus{state=\"free\"} 16.0", "muster_gpus{state=\"used\"} 8.0");
    }
    ObjectNode nodes =
        NodeView.of(kept.cluster())
            .addTo(
                JsonNodeFactory.instance.objectNode(),
                kept.cluster(),
                PageView.WHOLE,
                NodeView.Asked.of(PageQuery.NONE));
    assertThat(nodes.toString())
        .containsPattern("\"gpu-2\".*?\"total\":8,\"free\":8,\"used\":0,\"promised\":0");
  }

  @Test
  void shows_the_leader() {
    AtomicBoolean leads = new AtomicBoolean(true);
    metrics.leading(leads::get);
    assertThat(metrics.scrape()).contains("muster_leading 1.0");
    leads.set(false);
    assertThat(metrics.scrape()).contains("muster_leading 0.0");
  }

  @Test
  void shows_the_sync_state() {
    AtomicBoolean watches = new AtomicBoolean(true);
    metrics.watching(watches::get);
    assertThat(metrics.scrape()).contains("muster_watching 1.0");
    watches.set(false);
    assertThat(metrics.scrape()).contains("muster_watching 0.0");
  }
}
