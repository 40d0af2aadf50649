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

/// What would start a waiting gang sooner.
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
  void a_required_level_that_is_in_the_way() {
    Scene scene =
        Scene.of("b/r1: n1[....]\nb/r2: n2[....]").arrives(gang("a").of(2, 4).within("rack"));
    assertThat(hints(scene, "a")).contains(new Hint.Prefer("rack"));
  }

  @Test
  void a_required_level_that_the_pods_ask_for() {
    GangConstraints rack =
        GangConstraints.of(
            TopologyConstraint.of(Optional.of("rack"), Optional.empty()), GpuModelPreference.ANY);
    Scene scene =
        Scene.of("b/r1: n1[....]\nb/r2: n2[....]").arrives(gang("a").of(2, 4).podsWish(rack));
    assertThat(hints(scene, "a")).contains(new Hint.Prefer("rack"));
  }

  @Test
  void a_model_that_is_in_the_way() {
    Scene scene = Scene.of("b/r: n1:P4[####] n2:V100[....]");
    scene.arrives(gang("a").of(1, 4).on(new GpuModelPreference(List.of("P4"), false)));
    assertThat(hints(scene, "a")).contains(new Hint.AnyModel());
  }

  @Test
  void members_of_one_model_where_a_mix_would_fit() {
    Scene scene = Scene.of("b/r: n1:P4[....] n2:V100[....]").arrives(gang("a").of(2, 4));
    assertThat(hints(scene, "a")).contains(new Hint.Mix());
  }

  @Test
  void how_many_members_would_start_now() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang("a").of(5, 2));
    assertThat(hints(scene, "a")).contains(new Hint.Fewer(4));
  }

  @Test
  void one_member_is_one() {
    assertThat(new Hint.Fewer(1).sentence()).isEqualTo("1 member would start now.");
  }

  @Test
  void the_running_gang_that_ends_first_of_those_whose_leaving_makes_room() {
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
  void the_run_time_that_would_let_it_pass_a_planned_gang() {
    Scene scene =
        Scene.of("b/r: n1[....]")
            .arrives(gang("x").of(1, 2).running(Duration.ofHours(2)))
            .arrives(gang("big").of(1, 4))
            .after(Duration.ofSeconds(1))
            .arrives(gang("a").of(1, 1));
    assertThat(hints(scene, "a")).contains(new Hint.EndWithin(Duration.ofHours(2).minusSeconds(1)));
  }

  @Test
  void a_gang_that_runs_needs_no_hint() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(gang("a").of(1, 4));
    assertThat(hints(scene, "a")).isEmpty();
  }

  @Test
  void nothing_that_its_queue_forbids() {
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
  void nothing_starts_a_gang_of_a_queue_that_does_not_exist() {
    Scene scene = Scene.of("b/r: n1[....]", LIMITED).arrives(gang("a").of(2, 1).queue("none"));
    assertThat(StartHints.of(scene.state(), gang("a").id(), LIMITED)).isEmpty();
  }

  @Test
  void no_mix_of_which_a_part_is_closed_to_its_queue() {
    Scene scene = Scene.of("b/r: n1:P4[....] n2:V100[....]", LIMITED);
    scene.arrives(gang("a").of(2, 4).queue("q"));
    assertThat(StartHints.of(scene.state(), gang("a").id(), LIMITED))
        .doesNotContain(new Hint.Mix())
        .contains(new Hint.Fewer(1));
  }

  @Test
  void any_model_but_those_that_are_closed_to_its_queue() {
    Scene scene =
        Scene.of("b/r: n1:P4[........] n2:V100[....####]\nb/r2: n3:H100[........]", LIMITED)
            .arrives(
                gang("a").of(2, 4).queue("q").on(new GpuModelPreference(List.of("V100"), false)));
    assertThat(StartHints.of(scene.state(), gang("a").id(), LIMITED)).contains(new Hint.AnyModel());
  }
}
