package dev.muster.server.metrics;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.engine.Engine;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// What happens to gangs and GPUs is counted as a dashboard shows it.
class DashboardMetricsTest {
  private static final Queues QUEUES = Queues.of(List.of(Queue.of("research")));
  private static final Policies POLICIES =
      Policies.of(QUEUES, Duration.ofMinutes(2), Optional.empty())
          .with(new PriorityPreemptionPolicy(Mode.ENFORCE));
  private static final Policies SHADOW = POLICIES.with(new PriorityPreemptionPolicy(Mode.SHADOW));

  @AutoClose
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private static Scene scene(String drawing) {
    return Scene.of(drawing, POLICIES);
  }

  /// Returns a scrape after all that happened in the scene.
  private String scrapeAfter(Scene scene) {
    return scrapeAfter(scene, POLICIES);
  }

  private String scrapeAfter(Scene scene, Policies policies) {
    GangMetrics gangs = new GangMetrics(registry, QUEUES);
    Engine engine = new Engine(policies);
    State state = State.empty(scene.cluster().topology());
    for (Event event : scene.told()) {
      Step step = engine.step(state, event);
      state = step.after();
      gangs.stepped(step);
    }
    State last = state;
    new FleetMetrics(registry, () -> last, QUEUES, () -> scene.now().plusSeconds(3)).refresh();
    return registry.scrape();
  }

  @Test
  void wait_of_a_gang_is_counted_when_all_its_pods_are_bound() {
    Scene scene =
        scene("b/r: n1[########]")
            .arrives(gang("llm").of(2, 4).queue("research"))
            .after(Duration.ofMinutes(3))
            .then(new Event.MemberGone(Scene.START, gang("x").id(), Scene.unmanagedPod("n1")))
            .after(Duration.ofSeconds(10));

    assertThat(scene.nodesOf("llm")).containsExactly("n1", "n1");
    assertThat(scrapeAfter(scene))
        .contains("muster_gang_wait_seconds_count{queue=\"research\"} 1")
        .contains("muster_gang_wait_seconds_bucket{queue=\"research\",le=\"60.0\"} 0")
        .contains("muster_gang_wait_seconds_bucket{queue=\"research\",le=\"300.0\"} 1")
        .contains("muster_gang_wait_seconds_count{queue=\"other\"} 0");
  }

  @Test
  void gpu_time_counts_for_the_queue_of_the_gang() {
    Scene scene =
        scene("b/r: n1[........]")
            .arrives(gang("a").of(1, 4).queue("research"))
            .after(Duration.ofSeconds(100));

    assertThat(scrapeAfter(scene))
        .contains("muster_queue_gpu_seconds_total{queue=\"research\"} 400.0")
        .contains("muster_queue_gpu_seconds_total{queue=\"other\"} 0.0");
  }

  @Test
  void gpu_time_of_queues_that_are_not_configured_is_added_up() {
    Scene scene =
        Scene.of("b/r: n1[........]", Policies.DEFAULT)
            .arrives(gang("a").of(1, 4).queue("x"))
            .after(Duration.ofSeconds(50))
            .arrives(gang("b").of(1, 2).queue("y"))
            .after(Duration.ofSeconds(50));
    scene.then(
        new Event.MemberGone(
            scene.now(), gang("a").id(), gang("a").of(1, 4).members().getFirst().id()));

    assertThat(scrapeAfter(scene.after(Duration.ofSeconds(100)), Policies.DEFAULT))
        .contains("muster_queue_gpu_seconds_total{queue=\"other\"} 700.0");
  }

  private static Cluster arrives(Cluster cluster, String queue) {
    GangDraft draft = gang(queue).of(1, 8).queue(queue);
    return cluster
        .apply(new Event.GangSeen(Scene.START, draft.spec()))
        .apply(new Event.MemberSeen(Scene.START, draft.members().getFirst()));
  }

  /// Returns the bytes that the count of one step takes beside the accounts of so many queues.
  private long allocatedByAStep(int queues) {
    State state = State.empty(new Topology(List.of()));
    Cluster cluster = state.cluster().apply(new Event.Synced(Scene.START));
    for (int i = 0; i < queues; i++) {
      cluster = arrives(cluster, "q" + i);
    }
    GangMetrics metrics = new GangMetrics(registry, QUEUES);
    metrics.stepped(new Step(state.with(cluster), List.of(), List.of()));
    cluster = arrives(cluster, "r");
    metrics.stepped(new Step(state.with(cluster), List.of(), List.of()));
    Step step = new Step(state.with(arrives(cluster, "s")), List.of(), List.of());
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    metrics.stepped(step);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void step_costs_only_the_queues_that_it_changes() {
    long few = allocatedByAStep(10);

    assertThat(allocatedByAStep(5_000)).isLessThan(4 * few);
  }

  @Test
  void preempted_gang_counts_once_with_its_rule_and_queue() {
    Scene scene =
        scene("b/r: n1[........]")
            .arrives(gang("low").of(2, 4).queue("research"))
            .after(Duration.ofSeconds(60))
            .arrives(gang("high").of(1, 8).priority(10).queue("research"))
            .after(Duration.ofSeconds(60));

    assertThat(scene.nodesOf("high")).containsExactly("n1");
    assertThat(scrapeAfter(scene))
        .contains("muster_preempted_gangs_total{queue=\"research\",rule=\"priority\"} 1.0")
        .contains("muster_policy_rule_victims_total{enforced=\"true\",rule=\"priority\"} 1.0")
        .containsPattern(
            "muster_preempted_gpu_seconds_total\\{queue=\"research\",rule=\"priority\"} [1-9]");
  }

  @Test
  void start_of_an_elastic_gang_counts_with_its_minimum() {
    Scene scene =
        scene("b/r: n1[........]")
            .arrives(gang("elastic").of(4, 1).minCount(2).queue("research"))
            .after(Duration.ofSeconds(10));

    assertThat(scene.nodesOf("elastic")).hasSize(4);
    assertThat(scrapeAfter(scene)).contains("muster_gang_wait_seconds_count{queue=\"research\"} 1");
  }

  @Test
  void wait_of_a_preempted_gang_begins_with_its_preemption() {
    Scene scene =
        scene("b/r: n1[........]")
            .arrives(gang("low").of(2, 4).queue("research"))
            .after(Duration.ofHours(2))
            .arrives(gang("high").of(1, 8).priority(10).queue("research"))
            .after(Duration.ofSeconds(30));
    gang("low").of(2, 4).queue("research").members().stream()
        .map(pod -> new Event.MemberSeen(scene.now(), pod))
        .forEach(scene::then);
    scene.after(Duration.ofSeconds(30));

    assertThat(scrapeAfter(scene))
        .containsPattern("muster_oldest_waiting_seconds\\{queue=\"research\"} [1-9][0-9]?\\.0");
  }

  @Test
  void victim_of_a_repeated_decision_counts_once() {
    Scene scene =
        Scene.of("b/r: n1[........]", SHADOW)
            .arrives(gang("low").of(2, 4).queue("research"))
            .after(Duration.ofSeconds(60))
            .arrives(gang("high").of(1, 8).priority(10).queue("research"))
            .after(Duration.ofMinutes(10));

    assertThat(scene.decisions().stream().filter(Decision.Preempt.class::isInstance))
        .hasSizeGreaterThan(1);
    assertThat(scrapeAfter(scene, SHADOW))
        .contains("muster_policy_rule_victims_total{enforced=\"false\",rule=\"priority\"} 1.0");
  }

  @Test
  void counters_of_rules_begin_at_zero() {
    new GangMetrics(registry, QUEUES).declare(List.of("idle"));

    assertThat(registry.scrape())
        .contains("muster_preempted_gangs_total{queue=\"research\",rule=\"idle\"} 0.0")
        .contains("muster_policy_rule_victims_total{enforced=\"true\",rule=\"idle\"} 0.0");
  }

  @Test
  void queue_may_have_the_name_of_the_others() {
    Queues named = Queues.of(List.of(Queue.of(QueueLabel.OTHER)));

    new GangMetrics(registry, named);

    assertThat(registry.scrape()).containsOnlyOnce("muster_gang_wait_seconds_count{");
  }

  @Test
  void gpus_are_counted_by_model_and_state() {
    Scene scene =
        scene("b/r: n1:V100[##..] n2:V100[....]! n3:P4[....]")
            .arrives(gang("a").of(1, 1).queue("research"));

    assertThat(scrapeAfter(scene))
        .contains("muster_model_gpus{model=\"V100\",state=\"used\"} 3.0")
        .contains("muster_model_gpus{model=\"V100\",state=\"free\"} 1.0")
        .contains("muster_model_gpus{model=\"V100\",state=\"out\"} 4.0")
        .contains("muster_model_gpus{model=\"P4\",state=\"free\"} 4.0");
  }

  @Test
  void largest_free_block_is_that_of_one_domain() {
    Scene scene = scene("b1/r1: n1[....] n2[...#]\nb1/r2: n3[....]!\nb2/r3: n4[....]");

    assertThat(scrapeAfter(scene))
        .contains("muster_largest_free_block_gpus{level=\"cluster\",model=\"H100\"} 11.0")
        .contains("muster_largest_free_block_gpus{level=\"block\",model=\"H100\"} 7.0")
        .contains("muster_largest_free_block_gpus{level=\"rack\",model=\"H100\"} 7.0")
        .contains("muster_largest_free_block_gpus{level=\"node\",model=\"H100\"} 4.0");
  }

  @Test
  void oldest_wait_and_age_of_the_image_are_shown() {
    Scene scene =
        scene("b/r: n1[########]")
            .arrives(gang("llm").of(2, 4).queue("research"))
            .after(Duration.ofMinutes(3));

    assertThat(scrapeAfter(scene))
        .contains("muster_oldest_waiting_seconds{queue=\"research\"} 180.0")
        .contains("muster_oldest_waiting_seconds{queue=\"other\"} 0.0")
        .contains("muster_image_age_seconds 3.0");
  }

  /// Returns the bytes that one scrape of many nodes takes with so many levels.
  private long allocated(int levels) {
    List<TopologyLevel> all =
        IntStream.range(0, levels).mapToObj(i -> new TopologyLevel("l" + i, "l" + i)).toList();
    StringBuilder nodes = new StringBuilder("-/-: ");
    for (int i = 0; i < 400; i++) {
      nodes.append("n%03d[...#] ".formatted(i));
    }
    State state = Scene.on(new Topology(all), nodes.toString()).state();
    FleetMetrics metrics = new FleetMetrics(registry, () -> state, QUEUES, Instant::now);
    metrics.refresh();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    metrics.refresh();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void scrape_visits_each_node_once_for_all_levels() {
    long flat = allocated(1);
    assertThat(allocated(9)).isLessThan(2 * flat);
  }
}
