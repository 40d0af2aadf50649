package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// How big gangs are kept from waiting for ever behind small ones.
class BackfillTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final GpuModelPreference A100 = new GpuModelPreference(List.of("A100"), false);
  private static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);
  private static final GpuModelPreference P4 = new GpuModelPreference(List.of("P4"), false);

  /// `a` runs on n1 for an hour, `b` on n2 for two; `big` wants both whole and waits.
  static Scene twoBusyNodes() {
    return twoBusyNodes(Policies.DEFAULT);
  }

  private static Scene twoBusyNodes(Policies policies) {
    return Scene.of("b/r: n1[....] n2[....]", policies)
        .arrives(gang("a").of(1, 3).running(Duration.ofHours(1)))
        .arrives(gang("b").of(1, 3).running(Duration.ofHours(2)))
        .arrives(gang("big").of(2, 4).running(Duration.ofHours(5)))
        .after(SECOND);
  }

  static Optional<Hold> hold(Scene scene, String name) {
    return scene.cluster().holds().get(GangDraft.gang(name).id());
  }

  @Test
  void first_waiting_gang_is_planned_at_the_last_end_on_its_nodes() {
    Hold hold = hold(twoBusyNodes(), "big").orElseThrow();
    assertThat(hold.start()).contains(Scene.START.plus(Duration.ofHours(2)));
    assertThat(hold.shares().keys()).extracting("name").containsExactly("n1", "n2");
  }

  @Test
  void pod_that_ends_before_the_planned_start_passes() {
    Scene scene = twoBusyNodes().arrives(gang("small").of(1, 1).running(Duration.ofMinutes(90)));
    assertThat(scene.nodesOf("small")).hasSize(1);
  }

  @Test
  void passing_pod_that_is_not_bound_yet_breaks_no_plan() {
    Scene scene = twoBusyNodes().silent();
    Optional<Hold> before = hold(scene, "big");
    scene.arrives(gang("small").of(1, 1).running(Duration.ofMinutes(90))).after(SECOND);
    assertThat(hold(scene, "big").flatMap(Hold::start)).isEqualTo(before.flatMap(Hold::start));
    scene.arrives(gang("long").of(1, 1));
    assertThat(scene.whyNot("long").orElseThrow()).isInstanceOf(Veto.WouldDelay.class);
  }

  @Test
  void pod_that_ends_after_the_planned_start_does_not_pass() {
    Scene scene = twoBusyNodes().arrives(gang("small").of(1, 1).running(Duration.ofHours(3)));
    assertThat(scene.whyNot("small"))
        .contains(
            new Veto.WouldDelay(
                gang("big").id(), Optional.of(Scene.START.plus(Duration.ofHours(2)))));
  }

  @Test
  void pod_with_unknown_run_time_does_not_pass() {
    Scene scene = twoBusyNodes().arrives(gang("small").of(1, 1));
    assertThat(scene.whyNot("small").orElseThrow()).isInstanceOf(Veto.WouldDelay.class);
  }

  @Test
  void capacity_not_needed_by_the_planned_gang_is_free_for_all() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....]")
            .arrives(gang("a").of(1, 3).running(Duration.ofHours(1)))
            .arrives(gang("b").of(1, 3).running(Duration.ofHours(1)))
            .arrives(gang("c").of(1, 3).running(Duration.ofHours(9)))
            .arrives(gang("big").of(2, 4))
            .after(SECOND)
            .arrives(gang("small").of(1, 1));
    assertThat(scene.nodesOf("small")).containsExactly("n3");
  }

  @Test
  void pod_of_higher_priority_ignores_the_plan() {
    Scene scene = twoBusyNodes().arrives(gang("urgent").of(1, 1).priority(5));
    assertThat(scene.nodesOf("urgent")).hasSize(1);
  }

  @Test
  void planned_gang_starts_when_its_nodes_are_free_and_its_hold_ends() {
    Scene scene = twoBusyNodes().arrives(gang("small").of(1, 1)).ends("a");
    assertThat(scene.nodesOf("small")).isEmpty();
    assertThat(scene.ends("b").nodesOf("big")).containsExactly("n1", "n2");
    assertThat(scene.cluster().holds().isEmpty()).isTrue();
  }

  @Test
  void gang_behind_a_plan_starts_when_the_planned_gang_is_gone() {
    GangDraft big = gang("big");
    Scene scene = twoBusyNodes().arrives(gang("small").of(1, 1));
    scene.then(new Event.GangGone(scene.now(), big.id()));
    scene
        .gang("big")
        .members()
        .values()
        .forEach(member -> scene.then(new Event.MemberGone(scene.now(), big.id(), member.id())));
    assertThat(scene.after(SECOND).nodesOf("small")).hasSize(1);
  }

  @Test
  void run_longer_than_expected_moves_the_planned_start() {
    Policies patient = Policies.DEFAULT.with(new BackfillSettings(8, Duration.ofDays(1)));
    Scene scene = twoBusyNodes(patient).ends("a").after(Duration.ofHours(2).plusMinutes(1));
    Hold hold = hold(scene, "big").orElseThrow();
    assertThat(hold.start().orElseThrow()).isAfter(scene.now());
  }

  @Test
  void draining_hold_promises_no_start_in_the_past() {
    Scene scene = twoBusyNodes().ends("a").after(Duration.ofHours(2).plusMinutes(31));
    Hold hold = hold(scene, "big").orElseThrow();
    assertThat(hold.kind()).isEqualTo(Hold.Kind.DRAINING);
    assertThat(hold.promised()).isEmpty();
  }

  @Test
  void without_estimates_nothing_is_planned_at_first_and_small_pods_pass() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]")
            .arrives(gang("a").of(1, 2))
            .arrives(gang("big").of(2, 4))
            .after(SECOND)
            .arrives(gang("small").of(1, 1));
    assertThat(scene.nodesOf("small")).hasSize(1);
    assertThat(hold(scene, "big")).isEmpty();
  }

  @Test
  void nodes_are_drained_for_a_gang_that_waited_too_long() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[####]")
            .arrives(gang("a").of(1, 2))
            .arrives(gang("big").of(2, 4))
            .after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2))
            .arrives(gang("small").of(1, 1));
    assertThat(hold(scene, "big").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
    assertThat(scene.whyNot("small"))
        .contains(new Veto.WouldDelay(gang("big").id(), Optional.empty()));
    assertThat(scene.ends("a").nodesOf("big")).containsExactly("n1", "n2");
  }

  @Test
  void drain_is_not_searched_again_while_only_time_passes() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[#...]")
            .arrives(gang("a").of(1, 4))
            .arrives(gang("big").of(2, 4))
            .after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2));
    State sought = scene.state();
    assertThat(hold(scene, "big")).isEmpty();
    assertThat(scene.after(Duration.ofMinutes(2)).state().startForecasts())
        .isEqualTo(sought.startForecasts());
    scene.then(new Event.StrangerGone(scene.now(), Scene.stranger("n2"))).after(SECOND);
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting("name")
        .containsExactly("n1", "n2");
  }

  @Test
  void plan_that_loses_a_node_is_replaced() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....]")
            .arrives(gang("a").of(1, 1).running(Duration.ofHours(1)))
            .arrives(gang("b").of(1, 2).running(Duration.ofHours(2)))
            .arrives(gang("c").of(1, 3).running(Duration.ofHours(3)))
            .arrives(gang("big").of(2, 4))
            .after(SECOND);
    String lost = hold(scene, "big").orElseThrow().shares().keys().getFirst().name();
    scene.then(new Event.NodeGone(scene.now(), scene.state(lost).id())).after(SECOND);
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting("name")
        .hasSize(2)
        .doesNotContain(lost);
  }

  @Test
  void capacity_of_a_failed_member_is_held_for_its_replacement() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(a);
    fails(scene, a, 1);
    scene.arrives(gang("stranger").of(1, 4));
    assertThat(scene.nodesOf("stranger")).isEmpty();
    scene.becomes(a.member(1, "-again"), new MemberState.Held(false));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
    assertThat(scene.cluster().holds().isEmpty()).isTrue();
  }

  @Test
  void capacity_of_two_failed_members_is_held() {
    GangDraft a = gang("a").of(3, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]").arrives(a);
    fails(scene, a, 1);
    fails(scene, a, 2);
    scene.arrives(gang("stranger").of(1, 4));
    assertThat(scene.nodesOf("stranger")).isEmpty();
  }

  @Test
  void after_a_restart_a_gang_without_a_member_has_its_repair_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.unsynced("b/r: n1[....] n2[####]", Policies.DEFAULT);
    scene.then(new Event.GangSeen(scene.now(), a.spec()));
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.becomes(a.member(1, "-again"), new MemberState.Held(false));
    scene.then(new Event.Synced(scene.now())).after(Policies.REPAIR.minusSeconds(2));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    assertThat(scene.after(Duration.ofSeconds(4)).nodesOf("a")).isEmpty();
  }

  @Test
  void unused_capacity_for_a_replacement_is_released() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(a);
    fails(scene, a, 1);
    scene.arrives(gang("stranger").of(1, 4)).after(Policies.REPAIR.plusSeconds(2));
    assertThat(scene.nodesOf("stranger")).containsExactly("n2");
    assertThat(scene.nodesOf("a")).containsExactly("n1");
  }

  @Test
  void gang_whose_replacement_finds_no_place_in_time_is_released_whole() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(a);
    scene.then(new Event.NodeGone(scene.now(), scene.state("n2").id()));
    fails(scene, a, 1);
    scene.becomes(a.member(1, "-again"), new MemberState.Held(false));
    scene.after(Policies.REPAIR.minusSeconds(2));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    assertThat(scene.after(Duration.ofSeconds(4)).nodesOf("a")).isEmpty();
  }

  @Test
  void runs_of_the_same_work_predict_the_next_run_time() {
    Scene scene = Scene.of("b/r: n1[....]");
    for (int run = 0; run < 3; run++) {
      scene.arrives(gang("run" + run).of(1, 4).of("nightly")).after(Duration.ofMinutes(10));
      scene.ends("run" + run);
    }
    scene.arrives(gang("run3").of(1, 4).of("nightly")).arrives(gang("big").of(1, 4)).after(SECOND);
    assertThat(hold(scene, "big").flatMap(Hold::start))
        .contains(scene.now().minusSeconds(1).plus(Duration.ofMinutes(10)));
  }

  @Test
  void gang_passes_as_soon_as_its_short_run_time_is_learnt() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]\nb/p: p1:P4[.]")
            .arrives(gang("a").of(1, 3).running(Duration.ofHours(1)))
            .arrives(gang("b").of(1, 3).running(Duration.ofHours(2)))
            .arrives(gang("big").of(2, 4).running(Duration.ofHours(5)))
            .after(SECOND)
            .arrives(gang("other").of(1, 1).on(H100))
            .arrives(gang("small").of(1, 1).on(H100).of("nightly"));
    for (int run = 0; run < 3; run++) {
      assertThat(scene.whyNot("small").orElseThrow()).isInstanceOf(Veto.WouldDelay.class);
      scene.arrives(gang("run" + run).of(1, 1).on(P4).of("nightly")).after(Duration.ofMinutes(1));
      scene.ends("run" + run);
    }
    assertThat(scene.nodesOf("small")).hasSize(1);
    assertThat(scene.nodesOf("other")).isEmpty();
  }

  /// Three gangs want all A100s. The place of the first is drained, so that the others can have
  /// none as long as it waits, whatever else happens.
  @Test
  void gangs_that_cannot_be_drained_for_block_no_other_drain() {
    Scene scene =
        Scene.of("b/a: a1:A100[....] a2:A100[....]\nb/h: h1[....] h2[....]\nb/p: p1:P4[#]")
            .arrives(gang("a").of(2, 4).on(A100))
            .arrives(gang("h").of(2, 4).on(H100));
    for (int i = 0; i < 3; i++) {
      scene.arrives(gang("big" + i).of(2, 4).on(A100));
    }
    scene.arrives(gang("last").of(2, 4).on(H100));
    Duration nearly = BackfillSettings.DEFAULT.drainAfter().minusSeconds(2);
    assertThat(hold(scene.after(nearly), "last")).isEmpty();
    for (int second = 0; second < 5; second++) {
      scene.then(new Event.StrangerGone(scene.now(), Scene.stranger("p1"))).after(SECOND);
      Resources one = Resources.of("nvidia.com/gpu", 1);
      NodeId p1 = new NodeId("p1");
      scene.then(new Event.StrangerSeen(scene.now(), Scene.stranger("p1"), p1, one, 1));
      scene.after(SECOND);
    }
    assertThat(hold(scene, "big0").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
    assertThat(hold(scene, "last").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
  }

  /// While a place is drained its GPUs stand idle: not all gangs that waited too long may have that
  /// at once.
  @Test
  void small_clusters_drain_for_one_gang_at_a_time() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]");
    for (int i = 0; i < 4; i++) {
      scene.arrives(gang("a" + i).of(1, 3));
    }
    scene.arrives(gang("first").of(2, 4)).after(SECOND).arrives(gang("second").of(2, 4));
    scene.after(BackfillSettings.DEFAULT.drainAfter().multipliedBy(2)).after(SECOND);
    assertThat(hold(scene, "first").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
    assertThat(hold(scene, "second")).isEmpty();
    assertThat(scene.arrives(gang("small").of(1, 1)).nodesOf("small")).hasSize(1);
    scene.ends("a0").ends("a1").ends("a2").ends("a3").after(SECOND);
    assertThat(scene.nodesOf("first")).hasSize(2);
  }

  /// An eighth of 32 nodes are four: room for two such gangs.
  @Test
  void large_clusters_drain_an_eighth() {
    StringBuilder nodes = new StringBuilder("b/r:");
    for (int i = 0; i < 32; i++) {
      nodes.append(" n%02d[....]".formatted(i));
    }
    Scene scene = Scene.of(nodes.toString());
    for (int i = 0; i < 32; i++) {
      scene.arrives(gang("a" + i).of(1, 3));
    }
    for (int i = 0; i < 4; i++) {
      scene.arrives(gang("big" + i).of(2, 4)).after(SECOND);
    }
    scene.after(BackfillSettings.DEFAULT.drainAfter().multipliedBy(2)).after(SECOND).after(SECOND);
    assertThat(hold(scene, "big0")).isPresent();
    assertThat(hold(scene, "big1")).isPresent();
    assertThat(hold(scene, "big2")).isEmpty();
  }

  /// A node is free when the last has left it.
  @Test
  void drain_prefers_the_place_with_the_fewest_leaving_pods() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]");
    for (int i = 0; i < 3; i++) {
      scene.arrives(gang("a" + i).of(1, 1)).after(SECOND);
    }
    scene.arrives(gang("b").of(1, 2)).after(SECOND).arrives(gang("big").of(1, 4));
    String node = scene.nodesOf("b").getFirst();
    assertThat(scene.nodesOf("a0")).doesNotContain(node);
    scene.after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2));
    assertThat(hold(scene, "big").orElseThrow().shares().keys()).containsExactly(new NodeId(node));
  }

  /// The nodes of one gang come free at once.
  @Test
  void drain_prefers_the_place_of_a_single_gang() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]");
    scene.arrives(gang("a").of(1, 4)).arrives(gang("b").of(1, 4)).after(SECOND);
    scene.arrives(gang("wide").of(2, 4)).arrives(gang("big").of(2, 4));
    scene.after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2));
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting(NodeId::name)
        .containsExactlyElementsOf(scene.nodesOf("wide"));
  }

  private static void fails(Scene scene, GangDraft gang, int rank) {
    scene.becomes(
        scene.gang("a").members().get(gang.member(rank, "").id()).orElseThrow(),
        new MemberState.Ended(false));
    scene.then(new Event.MemberGone(scene.now(), gang.id(), gang.member(rank, "").id()));
  }

  @Test
  void terminating_pods_are_counted_on_before_running_ones() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]")
            .arrives(gang("a").of(1, 4).running(Duration.ofHours(9)))
            .arrives(gang("b").of(1, 4).running(Duration.ofHours(2)));
    Member ending = scene.gang("a").members().values().getFirst();
    scene.becomes(ending, new MemberState.Leaving(ending.node()));
    scene.arrives(gang("big").of(1, 4)).after(Duration.ofSeconds(1));
    assertThat(scene.cluster().holds().values().getFirst().shares().keys())
        .containsExactly(ending.node().orElseThrow());
  }
}
