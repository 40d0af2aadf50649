package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A changed policy applies to preemptions in progress.
class PolicyReloadTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration NOTICE = Duration.ofMinutes(2);
  private static final SceneEvents FIRST = new SceneEvents(NOTICE);

  /// Gang "low" was notified that it leaves for "high"; "dear" could leave in its place.
  private static Scene lowIsTold() {
    return Scene.of("b/r: n1[....] n2[....]", Policies.DEFAULT.with(FIRST))
        .arrives(gang("low").of(1, 4))
        .arrives(gang("dear").of(1, 4).priority(5))
        .arrives(gang("high").of(1, 4).priority(10))
        .after(SECOND);
  }

  private static Scene reloaded(Scene scene, SceneEvents policy) {
    return scene
        .under(Policies.DEFAULT.with(policy))
        .then(new Event.PolicyChanged(scene.now(), policy.revision()));
  }

  private static List<Effect.Evict> evictions(Scene scene) {
    return scene.asked().stream()
        .filter(Effect.Evict.class::isInstance)
        .map(Effect.Evict.class::cast)
        .toList();
  }

  @Test
  void victim_spared_by_the_new_policy_stays_despite_its_notice() {
    Scene scene = reloaded(lowIsTold(), FIRST.revised("priority").sparing("low"));
    assertThat(scene.asked())
        .contains(new Effect.RecordVictims(gang("high").id(), SortedTable.empty()));
    assertThat(scene.asked()).filteredOn(Effect.Reprieve.class::isInstance).hasSize(1);
    scene.after(NOTICE.plus(SECOND).plus(SECOND));
    assertThat(evictions(scene)).extracting(evict -> evict.gang().name()).containsExactly("dear");
  }

  @Test
  void remaining_victim_is_evicted_with_the_rule_of_the_new_policy() {
    Scene scene = reloaded(lowIsTold(), FIRST.revised("second")).after(NOTICE);
    assertThat(evictions(scene))
        .extracting(Effect.Evict::message)
        .containsExactly("Preempted for ml/high by the rule second of policy r2.");
  }

  @Test
  void notified_deadline_of_a_victim_is_kept() {
    SceneEvents longer = new SceneEvents(Duration.ofHours(1)).revised("priority");
    Scene scene = reloaded(lowIsTold(), longer).after(NOTICE);
    assertThat(scene.nodesOf("high")).containsExactly("n1");
  }
}
