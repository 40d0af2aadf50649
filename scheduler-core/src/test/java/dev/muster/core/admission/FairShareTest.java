package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// Queues are ordered by their fair share.
class FairShareTest {
  private static final String EIGHT = "b/r: n1[####] n2[####]";

  @Test
  void queue_that_holds_less_goes_first() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]");
    scene.arrives(gang("a1").of(1, 4).queue("a")).arrives(gang("b1").of(1, 2).queue("b"));
    scene.arrives(gang("a2").of(1, 4).queue("a")).arrives(gang("b2").of(1, 4).queue("b"));
    scene.ends("b1");
    assertThat(scene.nodesOf("b2")).isNotEmpty();
    assertThat(scene.nodesOf("a2")).isEmpty();
  }

  @Test
  void burst_of_one_queue_is_interleaved_with_others() {
    Scene scene = Scene.of(EIGHT);
    for (int i = 0; i < 4; i++) {
      scene.arrives(gang("a" + i).of(1, 2).queue("a"));
    }
    for (int i = 0; i < 4; i++) {
      scene.arrives(gang("b" + i).of(1, 2).queue("b"));
    }
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n2")));
    assertThat(held(scene, "a")).isEqualTo(4);
    assertThat(held(scene, "b")).isEqualTo(4);
  }

  @Test
  void usage_counts_after_its_end_and_decays() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(gang("a1").of(1, 4).queue("a"));
    scene.then(new Event.Tick(scene.now().plus(Duration.ofHours(10))));
    scene.ends("a1");
    assertThat(share(scene, "a", 1)).isBetween(39_000L, 40_000L); // 4 GPUs for 10 h, decaying
    scene.then(new Event.Tick(scene.cluster().now().plus(Duration.ofDays(7))));
    assertThat(share(scene, "a", 1)).isBetween(19_500L, 20_000L);
  }

  @Test
  void share_is_divided_by_the_weight() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(gang("a1").of(1, 4).queue("a"));
    assertThat(share(scene, "a", 1)).isEqualTo(4_000);
    assertThat(share(scene, "a", 4)).isEqualTo(1_000);
  }

  @Test
  void priority_precedes_share_and_share_precedes_age() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang("a1").of(1, 4).queue("a"));
    FairShare order = new FairShare(Queues.NONE);
    Rank rich = order.rank(scene.cluster(), with(gang("x").of(1, 1).queue("a")));
    Rank poor =
        order.rank(
            scene.cluster(),
            with(gang("y").of(1, 1).queue("b").createdAt(Scene.START.plusSeconds(9))));
    Rank high = new Rank(1, rich.share(), rich.eligibleAt(), rich.gang());
    assertThat(List.of(rich, poor, high).stream().sorted().toList())
        .containsExactly(high, poor, rich);
    assertThat(rich.at(0).compareTo(poor.at(0))).isNegative();
  }

  @Test
  void priority_is_capped_by_the_queue() {
    Queues queues = Queues.of(List.of(Queue.of("low").upTo(5), Queue.of("free")));
    assertThat(queues.priority(prior("low", 9))).isEqualTo(5);
    assertThat(queues.priority(prior("low", -3))).isEqualTo(-3);
    assertThat(queues.priority(prior("free", 9))).isEqualTo(9);
    assertThat(queues.priority(prior("unknown", 9))).isEqualTo(9);
  }

  private static Gang prior(String queue, int priority) {
    return with(gang("g").of(1, 1).queue(queue).priority(priority));
  }

  @Test
  void running_gang_stays_in_its_queue_when_its_object_names_another() {
    GangDraft draft = gang("g").of(1, 4);
    Scene scene = Scene.of("b/r: n1[....]").arrives(draft.queue("a"));
    scene.then(new Event.GangSeen(scene.now(), draft.queue("b").spec()));
    assertThat(held(scene, "a")).isEqualTo(4);
    scene.then(new Event.GangGone(scene.now(), draft.id()));
    scene.then(new Event.GangSeen(scene.now(), draft.queue("b").spec()));
    assertThat(held(scene, "a")).isEqualTo(4);
    assertThat(held(scene, "b")).isZero();
  }

  @Test
  void gang_without_capacity_is_in_the_queue_of_its_object() {
    GangDraft draft = gang("g").of(1, 4);
    Scene scene = Scene.of("b/r: n1[....]").arrives(draft.queue("a"));
    scene.then(new Event.GangSeen(scene.now(), draft.queue("b").spec())).ends("g");
    assertThat(scene.cluster().gang(draft.id()).queue()).isEqualTo("b");
    assertThat(held(scene, "a")).isZero();
  }

  @Test
  void restart_charges_running_pods_from_their_binding() {
    Scene scene = Scene.unsynced("b/r: n1[....]", Policies.DEFAULT);
    GangDraft draft = gang("g").of(1, 4).queue("a");
    scene.becomes(
        draft.members().getFirst(),
        new MemberState.Bound(new NodeId("n1"), scene.now().minus(Duration.ofHours(1))));
    scene.then(new Event.GangSeen(scene.now(), draft.spec()));
    scene.then(new Event.Synced(scene.now()));
    assertThat(share(scene, "a", 1)).isBetween(7_900L, 8_000L); // 4 GPU-hours, and 4 GPUs held
  }

  @Property(tries = 50)
  void simultaneous_events_give_equal_charges_in_any_order(@ForAll @IntRange(min = 0) int seed) {
    assertThat(shares(seed, new Random(seed + 1L))).isEqualTo(shares(seed, new Random(seed + 2L)));
  }

  private static List<Long> shares(int seed, Random order) {
    Random random = new Random(seed);
    Scene scene = Scene.of(RandomWorkload.CLUSTER).silent();
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      GangDraft draft = gang("g" + i).of(2, 2).queue("q" + i % 3);
      events.add(new Event.GangSeen(scene.now(), draft.spec()));
      for (var member : draft.members()) {
        var bound = new MemberState.Bound(new NodeId("n" + (1 + random.nextInt(6))), scene.now());
        events.add(new Event.MemberSeen(scene.now(), member.as(bound)));
      }
    }
    Collections.shuffle(events, order);
    events.forEach(scene::then);
    scene.then(new Event.Tick(scene.now().plusSeconds(random.nextInt(1_000_000))));
    return List.of(share(scene, "q0", 1), share(scene, "q1", 1), share(scene, "q2", 1));
  }

  @Property(tries = 50)
  void order_is_total_and_equals_the_merged_queue_orders(@ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 30; turn++) {
      workload.turn();
    }
    var cluster = workload.scene().cluster();
    FairShare order = new FairShare(Queues.NONE);
    List<Rank> ranks =
        cluster.gangs().values().stream().map(g -> order.rank(cluster, g)).sorted().toList();
    for (int i = 1; i < ranks.size(); i++) {
      assertThat(ranks.get(i - 1)).isLessThan(ranks.get(i));
      boolean sameShare = ranks.get(i - 1).share() == ranks.get(i).share();
      assertThat(!sameShare || ranks.get(i - 1).at(0).compareTo(ranks.get(i).at(0)) < 0).isTrue();
    }
  }

  private static Gang with(GangDraft draft) {
    return Scene.of("b/r: n9[#]").arrives(draft).gang(draft.id().name());
  }

  private static int held(Scene scene, String queue) {
    return scene.cluster().ledger().account(queue).inUse();
  }

  private static long share(Scene scene, String queue, int weight) {
    Queues queues = Queues.of(List.of(Queue.of(queue).weighing(weight)));
    return new FairShare(queues).share(scene.cluster(), queue);
  }

  private static Scene seesNode(Scene scene) {
    Map<String, String> labels = Map.of("block", "b", "rack", "r");
    return scene.then(new Event.NodeSeen(scene.now(), Scene.node("n1", labels, 4, "H200", false)));
  }

  @Test
  void changed_model_of_a_node_keeps_the_charges_of_its_pods() {
    Scene scene = seesNode(Scene.of("b/r: n1[....]").arrives(gang("g").of(1, 4).queue("a")));
    assertThat(held(scene, "a")).isEqualTo(4);
  }

  @Test
  void pods_seen_before_their_node_are_charged_to_their_queue() {
    Scene scene = Scene.unsynced("b/r: n2[....]", Policies.DEFAULT);
    GangDraft draft = gang("g").of(1, 4).queue("a");
    scene.then(new Event.GangSeen(scene.now(), draft.spec()));
    scene.becomes(draft.member(0, ""), new MemberState.Bound(new NodeId("n1"), Scene.START));
    seesNode(scene).then(new Event.Synced(scene.now()));
    assertThat(held(scene, "a")).isEqualTo(4);
  }
}
