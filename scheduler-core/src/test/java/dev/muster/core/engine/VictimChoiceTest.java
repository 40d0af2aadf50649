package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.kit.AnyVictimPolicy;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The gang that is preempted is the cheapest one that frees enough capacity.
class VictimChoiceTest extends PreemptionScenes {
  @Test
  void one_gang_over_all_nodes_is_preempted_rather_than_many_small_ones() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]", BY_PRIORITY)
            .arrives(gang("wide").of(2, 4))
            .arrives(gang("a").of(1, 2))
            .arrives(gang("b").of(1, 2))
            .arrives(gang("c").of(1, 2))
            .arrives(gang("d").of(1, 2))
            .arrives(gang("big").of(2, 4).priority(10))
            .after(SECOND);
    assertThat(victims(scene)).containsExactly("wide");
    assertThat(scene.nodesOf("big")).containsExactlyInAnyOrderElementsOf(List.of("n1", "n2"));
  }

  @Test
  void no_gang_is_preempted_for_one_that_would_still_not_fit() {
    Scene scene =
        Scene.of("b/r: n1[##..] n2[##..]", BY_PRIORITY)
            .arrives(gang("a").of(1, 1))
            .arrives(gang("b").of(1, 1))
            .arrives(gang("c").of(1, 1))
            .arrives(gang("d").of(1, 1))
            .arrives(gang("big").of(1, 4).priority(10))
            .after(SECOND);
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  @Test
  void gang_of_equal_priority_stays() {
    Scene scene =
        Scene.of("b/r: n1[....]", BY_PRIORITY)
            .arrives(gang("a").of(1, 4).priority(10))
            .arrives(gang("b").of(1, 4).priority(10))
            .after(SECOND);
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    assertThat(victims(scene)).isEmpty();
  }

  @Test
  void required_rack_determines_the_victims() {
    Scene scene =
        Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[....]", BY_PRIORITY)
            .arrives(gang("a").of(1, 4))
            .arrives(gang("b").of(1, 4).priority(5))
            .arrives(gang("c").of(1, 4))
            .arrives(gang("d").of(1, 4).priority(5));
    String rackOfA = scene.nodesOf("a").getFirst();
    scene.arrives(gang("big").of(2, 4).within("rack").priority(10)).after(SECOND);
    assertThat(scene.nodesOf("big")).hasSize(2);
    assertThat(victims(scene)).as("a was on %s", rackOfA).hasSize(2);
  }

  @Test
  void elastic_gang_gives_up_spare_members_before_others_are_preempted() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", BY_PRIORITY)
            .arrives(gang("elastic").of(6, 1).minCount(2))
            .arrives(gang("other").of(1, 2))
            .arrives(gang("urgent").of(2, 2).priority(10))
            .after(SECOND);
    assertThat(scene.gang("elastic").boundCount()).isEqualTo(2);
    assertThat(scene.nodesOf("other")).hasSize(1);
    assertThat(scene.nodesOf("urgent")).hasSize(2);
  }

  @Test
  void queue_reclaims_its_guarantee_from_a_borrower() {
    Scene scene =
        Scene.of("b/r: n1[....]", guaranteeing(Quota.of(4)))
            .arrives(gang("lent").of(1, 4).queue("other").priority(100))
            .arrives(gang("due").of(1, 4))
            .after(SECOND);
    assertThat(scene.nodesOf("due")).containsExactly("n1");
  }

  @Test
  void queue_reclaims_its_guaranteed_models() {
    Scene scene =
        Scene.of("b/r: n1:P4[....] n2:V100[....]", guaranteeing(Quota.NONE.with("P4", 4)))
            .arrives(gang("lent-1").of(1, 4).queue("other").priority(100))
            .arrives(gang("lent-2").of(1, 4).queue("other").priority(100))
            .arrives(gang("more").of(1, 4))
            .arrives(gang("due").of(1, 4).on(new GpuModelPreference(List.of("P4"), false)))
            .after(SECOND);
    assertThat(scene.nodesOf("due")).containsExactly("n1");
    assertThat(scene.nodesOf("more")).isEmpty(); // it might be given a V100
  }

  /// For the queue `ml`.
  private static Policies guaranteeing(Quota quota) {
    Queues queues = Queues.of(List.of(Queue.of("ml").guaranteed(quota), Queue.of("other")));
    return Policies.of(queues, Duration.ofMinutes(2), Optional.empty()).with(new AnyVictimPolicy());
  }
}
