package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Preemptions in progress follow a changed priority of a gang.
class RerankedVictimTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration NOTICE = Duration.ofMinutes(2);

  /// Gang "low" was notified that it leaves for "high"; "dear" could leave in its place.
  private static Scene lowIsTold() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", Policies.DEFAULT.with(new SceneEvents(NOTICE)))
            .arrives(gang("low").of(1, 4).priority(20));
    return reranked(scene, "low", 0) // an object can only lower the priority of its pods
        .arrives(gang("dear").of(1, 4).priority(5))
        .arrives(gang("high").of(1, 4).priority(10))
        .after(SECOND);
  }

  private static Scene reranked(Scene scene, String name, int priority) {
    GangSpec spec = scene.gang(name).spec().orElseThrow().prior(Optional.of(priority));
    return scene.then(new Event.GangSeen(scene.now(), spec));
  }

  @Test
  void raised_victim_stays_and_another_is_notified() {
    Scene scene = reranked(lowIsTold(), "low", 20);
    assertThat(scene.asked())
        .contains(new Effect.RecordVictims(gang("high").id(), SortedTable.empty()));
    scene.after(NOTICE.multipliedBy(2));
    assertThat(scene.askedOf(Effect.Reprieve.class)).containsExactly("low");
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("dear");
  }

  @Test
  void no_gang_is_preempted_for_one_lowered_to_its_victims() {
    Scene scene = reranked(lowIsTold(), "high", 0).after(NOTICE.multipliedBy(2));
    assertThat(scene.askedOf(Effect.Reprieve.class)).containsExactly("low");
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
  }

  @Test
  void raised_victim_of_still_lower_priority_leaves_at_its_deadline() {
    Scene scene = reranked(lowIsTold(), "low", 3);
    assertThat(scene.askedOf(Effect.Reprieve.class)).isEmpty();
    scene.after(NOTICE);
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("low");
  }
}
