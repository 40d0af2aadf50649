package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.decision.Hint;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Hints state what would start a waiting gang sooner.
class StartHintsTest {
  /// At most four P4 for the queue `q`.
  private static final Policies LIMITED =
      Policies.of(
          Queues.of(List.of(Queue.of("q").most(Quota.NONE.with("P4", 4)))),
          Duration.ofMinutes(2),
          Optional.empty());

  private static List<Hint> hints(Scene scene, String name) {
    return StartHints.of(scene.state(), GangDraft.gang(name).id(), Policies.DEFAULT);
  }

  @Test
  void required_level_that_prevents_the_start() {
    Scene scene =
        Scene.of("b/r1: n1[....]\nb/r2: n2[....]").arrives(gang("a").of(2, 4).within("rack"));
    assertThat(hints(scene, "a")).contains(new Hint.Prefer("rack"));
  }

  @Test
  void required_level_of_the_pods_that_prevents_the_start() {
    GangConstraints rack =
        GangConstraints.of(
            TopologyConstraint.of(Optional.of("rack"), Optional.empty()), GpuModelPreference.ANY);
    Scene scene =
        Scene.of("b/r1: n1[....]\nb/r2: n2[....]").arrives(gang("a").of(2, 4).podsWish(rack));
    assertThat(hints(scene, "a")).contains(new Hint.Prefer("rack"));
  }

  @Test
  void model_that_prevents_the_start() {
    Scene scene = Scene.of("b/r: n1:P4[####] n2:V100[....]");
    scene.arrives(gang("a").of(1, 4).on(new GpuModelPreference(List.of("P4"), false)));
    assertThat(hints(scene, "a")).contains(new Hint.AnyModel());
  }

  @Test
  void mix_that_would_fit_where_one_model_does_not() {
    Scene scene = Scene.of("b/r: n1:P4[....] n2:V100[....]").arrives(gang("a").of(2, 4));
    assertThat(hints(scene, "a")).contains(new Hint.Mix());
  }

  @Test
  void number_of_members_that_would_start_now() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang("a").of(5, 2));
    assertThat(hints(scene, "a")).contains(new Hint.Fewer(4));
  }

  @Test
  void single_member_is_singular() {
    assertThat(new Hint.Fewer(1).sentence()).isEqualTo("1 member would start now.");
  }

  @Test
  void first_ending_gang_that_frees_enough_capacity() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]")
            .arrives(gang("x").of(1, 4).running(Duration.ofHours(3)))
            .arrives(gang("y").of(1, 4).running(Duration.ofHours(2)))
            .arrives(gang("a").of(1, 4));
    assertThat(hints(scene, "a"))
        .contains(
            new Hint.Leave(gang("y").id(), Optional.of(scene.now().plus(Duration.ofHours(2)))));
  }

  @Test
  void run_time_that_would_pass_a_planned_gang() {
    Scene scene =
        Scene.of("b/r: n1[....]")
            .arrives(gang("x").of(1, 2).running(Duration.ofHours(2)))
            .arrives(gang("big").of(1, 4))
            .after(Duration.ofSeconds(1))
            .arrives(gang("a").of(1, 1));
    assertThat(hints(scene, "a")).contains(new Hint.EndWithin(Duration.ofHours(2).minusSeconds(1)));
  }

  @Test
  void running_gang_needs_no_hint() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(gang("a").of(1, 4));
    assertThat(hints(scene, "a")).isEmpty();
  }

  @Test
  void no_hint_forbidden_by_its_queue() {
    Queues queues = Queues.of(List.of(Queue.of("a").most(Quota.of(4))));
    Policies policies = Policies.of(queues, Duration.ofMinutes(2), Optional.empty());
    Scene scene =
        Scene.of("b/r: n1:H100[....] n2:H100[....] n3:P4[....]", policies)
            .arrives(gang("x").of(1, 4).queue("a"))
            .arrives(
                gang("y").of(1, 4).queue("a").on(new GpuModelPreference(List.of("H100"), false)));
    assertThat(StartHints.of(scene.state(), gang("y").id(), policies))
        .containsExactly(new Hint.Leave(gang("x").id(), Optional.empty()));
  }

  @Test
  void no_hint_for_a_gang_of_an_unknown_queue() {
    Scene scene = Scene.of("b/r: n1[....]", LIMITED).arrives(gang("a").of(2, 1).queue("none"));
    assertThat(StartHints.of(scene.state(), gang("a").id(), LIMITED)).isEmpty();
  }

  @Test
  void no_mix_with_a_model_closed_to_its_queue() {
    Scene scene = Scene.of("b/r: n1:P4[....] n2:V100[....]", LIMITED);
    scene.arrives(gang("a").of(2, 4).queue("q"));
    assertThat(StartHints.of(scene.state(), gang("a").id(), LIMITED))
        .doesNotContain(new Hint.Mix())
        .contains(new Hint.Fewer(1));
  }

  @Test
  void any_model_except_those_closed_to_its_queue() {
    Scene scene =
        Scene.of("b/r: n1:P4[........] n2:V100[....####]\nb/r2: n3:H100[........]", LIMITED)
            .arrives(
                gang("a").of(2, 4).queue("q").on(new GpuModelPreference(List.of("V100"), false)));
    assertThat(StartHints.of(scene.state(), gang("a").id(), LIMITED)).contains(new Hint.AnyModel());
  }

  /// A waiting gang that no change but the end of `z` starts, behind other gangs that run.
  private static Scene behind(int others) {
    StringBuilder nodes = new StringBuilder("b/r: z[....]");
    for (int i = 0; i < others; i++) {
      nodes.append(" n%03d[#...]".formatted(i));
    }
    Scene scene = Scene.of(nodes.toString()).arrives(gang("z").of(1, 4));
    for (int i = 0; i < others; i++) {
      scene.arrives(gang("o%03d".formatted(i)).of(1, 3).running(Duration.ofHours(1)));
    }
    return scene.arrives(gang("a").of(1, 4));
  }

  @Test
  void steps_of_all_searches_are_bounded() {
    Scene scene = behind(9);
    int search = scene.cluster().nodes().size() + 1;
    List<Hint> hints =
        StartHints.of(scene.state(), gang("a").id(), Policies.DEFAULT, 4 * (search + 1));
    assertThat(hints).containsExactly(new Hint.NotComputed(4));
  }

  @Test
  void limit_that_all_searches_keep_is_not_told() {
    assertThat(hints(behind(9), "a"))
        .containsExactly(new Hint.Leave(gang("z").id(), Optional.empty()));
  }

  @Test
  void more_running_gangs_than_are_tried_are_told() {
    assertThat(hints(behind(StartHints.TRIED), "a"))
        .singleElement()
        .isInstanceOf(Hint.NotComputed.class);
  }

  @Test
  void number_of_members_that_is_found_at_the_limit_does_fit() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang("a").of(9, 2));
    List<Hint> hints = StartHints.of(scene.state(), gang("a").id(), Policies.DEFAULT, 17);
    assertThat(hints).containsExactly(new Hint.Fewer(4), new Hint.NotComputed(2));
  }
}
