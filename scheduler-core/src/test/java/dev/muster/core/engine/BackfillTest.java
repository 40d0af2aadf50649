package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Big gangs do not wait forever behind small ones.
class BackfillTest extends BackfillScenes {
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
