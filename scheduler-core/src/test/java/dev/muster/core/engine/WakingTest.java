package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cycle.GangAttempt;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Taint.Effect;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import dev.muster.core.state.StartForecast;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// No waiting gang is forgotten, and none starves. Each case is a seed, which jqwik prints.
class WakingTest {
  /// An attempt of every waiting gang after every event starts no gang that waits.
  @Property(tries = 40)
  void no_gang_that_would_be_admitted_waits_after_any_event(@ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 60; turn++) {
      workload.turn();
      State state = workload.scene().state();
      for (GangId id : state.waiting().seats().keys()) {
        GangAttempt again = PromiseChecks.alone(id, state, RandomWorkload.POLICIES);
        assertThat(again.isAdmitted())
            .as("turn %d: %s would fit now but waits: %s", turn, id, state.why(id))
            .isFalse();
      }
    }
  }

  /// Both gangs were refused while the node was away. The second was not tried again, since the
  /// first had taken the node.
  @Test
  void gang_refused_by_every_node_is_woken_by_a_newer_node() {
    Scene scene = Scene.of("b/r1: n1[....]");
    Node node = scene.state("n1").node();
    scene.then(new Event.NodeGone(scene.now(), node.id()));
    scene.arrives(gang("first").of(1, 4)).arrives(gang("second").of(1, 4));
    scene.then(new Event.NodeSeen(scene.now(), node));
    assertThat(scene.nodesOf("first")).containsExactly("n1");
    scene.ends("first");
    assertThat(scene.nodesOf("second")).containsExactly("n1");
  }

  @Test
  void waiting_costs_nothing() {
    Scene scene = Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[##..]");
    for (int i = 0; i < 60; i++) {
      scene.arrives(gang("g" + i).of(1 + i % 5, 3 + i % 2).priority(i % 3));
    }
    State waits = scene.after(Duration.ofSeconds(5)).state();
    Instant now = scene.now();
    assertThat(waits.waiting().seats().size()).isGreaterThan(50);
    assertNobodyIsTried(waits, new Event.Tick(now.plusSeconds(1)));
    var other = new MemberId("other", "other", "other");
    var taken = Resources.of("nvidia.com/gpu", 1);
    assertNobodyIsTried(waits, new Event.UnmanagedPodSeen(now, other, new NodeId("n3"), taken, 1));
    assertNobodyIsTried(waits, new Event.UnmanagedPodGone(now, other));
  }

  /// A hundred kinds of gangs lack capacity that comes and goes every second. No gang can start,
  /// and only some attempts happen at once.
  @Test
  void every_answer_is_renewed_however_often_others_expire() {
    String full = "#".repeat(52); // of which the cores serve 50 members
    Scene scene = Scene.of("b/r1: n1[####] n2[%s] n3[%s]".formatted(full, full));
    for (int members = 5; members < 105; members++) {
      scene.arrives(gang("g" + members).of(members, 1));
    }
    MemberId stranger = Scene.unmanagedPod("n1");
    Resources used = Resources.of("nvidia.com/gpu", 4);
    Instant began = scene.now();
    for (int second = 0; second < 10; second++) {
      scene.then(new Event.UnmanagedPodGone(scene.now(), stranger));
      scene.after(Duration.ofSeconds(1));
      scene.then(new Event.UnmanagedPodSeen(scene.now(), stranger, new NodeId("n1"), used, 4));
    }
    assertThat(scene.state().waiting().classes().values())
        .hasSize(100)
        .allSatisfy(waits -> assertThat(waits.why().at()).isAfter(began));
  }

  /// A gang that is tried gets an answer for the new image.
  @Test
  void removed_taint_lets_a_gang_start() {
    Scene scene = withNodes(tainted("n1", Effect.NO_SCHEDULE)).arrives(gang("a").of(1, 8));
    assertThat(scene.whyNot("a")).containsInstanceOf(Veto.NoMatchingNodes.class);

    scene.then(new Event.NodeSeen(scene.now(), tainted("n1", Effect.PREFER_NO_SCHEDULE)));

    assertThat(scene.nodesOf("a")).containsExactly("n1");
  }

  @Test
  void refusal_because_of_starting_gangs_is_renewed_once_they_run() {
    Scene scene = withNodes(withCores("n1", 8), withCores("n2", 8)).silent();
    List<GangDraft> starting = List.of(gang("a").of(1, 4), gang("b").of(1, 4));
    starting.forEach(scene::arrives);
    scene.arrives(gang("c").of(1, 4));
    assertThat(scene.whyNot("c")).containsInstanceOf(Veto.Promised.class);

    for (GangDraft gang : starting) {
      Reservation held = scene.cluster().reservations().get(gang.id()).orElseThrow();
      NodeId node = held.promises().values().getFirst().node();
      scene.becomes(gang.member(0, ""), new MemberState.Bound(node, scene.now()));
    }

    assertThat(scene.after(Duration.ofSeconds(2)).whyNot("c"))
        .hasValueSatisfying(why -> assertThat(why).isNotInstanceOf(Veto.Promised.class));
  }

  private static Scene withNodes(Node... nodes) {
    Scene scene = Scene.unsynced("", Policies.DEFAULT);
    for (Node node : nodes) {
      scene.then(new Event.NodeSeen(scene.now(), node));
    }
    return scene.then(new Event.Synced(scene.now()));
  }

  private static Node tainted(String name, Effect effect) {
    return node(name, Long.MAX_VALUE >> 20, List.of(new Taint("dedicated", "gpu", effect)));
  }

  private static Node withCores(String name, long cores) {
    return node(name, 1000 * cores, List.of());
  }

  private static Node node(String name, long cpu, List<Taint> taints) {
    Node bare = Scene.node(name, Map.of("block", "b", "rack", "r"), 8, "H100", false);
    Map<String, Long> amounts = new TreeMap<>(bare.allocatable().asMap());
    amounts.put(Resources.CPU, cpu);
    Resources offer = Resources.of(amounts);
    return new Node(bare.id(), bare.labels(), offer, 8, bare.model(), taints, false, List.of());
  }

  private static void assertNobodyIsTried(State before, Event event) {
    Step step = new Engine(Policies.DEFAULT).step(before, event);
    assertThat(step.decisions()).isEmpty();
    assertThat(step.effects()).isEmpty();
    assertThat(step.after().waiting()).isEqualTo(before.waiting());
  }

  /// Small gangs arrive with any stated run times. A big gang starts when it has waited for the
  /// bound and the pods on its place have ended.
  @Property(tries = 8)
  void big_gang_starts_within_the_bound_despite_small_ones(@ForAll @IntRange(min = 0) int seed) {
    bigGangStartsWithinTheBound(seed, Duration.ofMinutes(5), 60);
  }

  /// No place may drain before the wait is twice as long as the runs there.
  @Property(tries = 4)
  void big_gang_starts_within_the_bound_despite_long_runs(@ForAll @IntRange(min = 0) int seed) {
    bigGangStartsWithinTheBound(seed, Duration.ofSeconds(10), 120);
  }

  private static void bigGangStartsWithinTheBound(int seed, Duration drainAfter, int longest) {
    Policies policies = Policies.DEFAULT.with(new BackfillSettings(2, drainAfter));
    Scene scene = Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[....]", policies);
    Random random = new Random(seed);
    int[] ends = new int[2_000];
    int next = 0;
    boolean came = false;
    long eligible = Math.max(drainAfter.toSeconds(), 2L * longest);
    long sought = StartForecast.RECKONED.toSeconds();
    long bound = eligible + sought + 8L * longest; // no run takes longer, so none is usual
    for (int second = 0; second < bound + 2L * longest + 60; second++) {
      if (second == 30) {
        scene.arrives(GangDraft.gang("big").of(3, 4));
        came = true;
      }
      while (random.nextInt(2) > 0 && next < ends.length) {
        GangDraft small = GangDraft.gang("s" + next).of(1, 1 + random.nextInt(4));
        boolean lies = random.nextBoolean();
        scene.arrives(
            lies ? small.running(Duration.ofSeconds(1 + random.nextInt(longest))) : small);
        next++;
      }
      for (int i = 0; i < next; i++) {
        Gang gang = scene.gang("s" + i);
        if (gang.boundCount() > 0) {
          ends[i] = ends[i] == 0 ? second + 1 + random.nextInt(longest) : ends[i];
          if (ends[i] <= second) {
            scene.ends("s" + i);
          }
        }
      }
      scene.after(Duration.ofSeconds(1));
    }
    assertThat(came && !scene.nodesOf("big").isEmpty())
        .as("big: %s", scene.state().why(GangDraft.gang("big").id()))
        .isTrue();
  }
}
