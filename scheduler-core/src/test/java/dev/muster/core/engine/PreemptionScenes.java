package dev.muster.core.engine;

import dev.muster.core.decision.Decision;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.List;

/// Scenes and policies that tests of preemption share.
abstract class PreemptionScenes {
  static final Duration SECOND = Duration.ofSeconds(1);
  static final Policies BY_PRIORITY =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));

  static Policies telling(Duration notice) {
    return Policies.DEFAULT.with(new SceneEvents(notice));
  }

  static List<String> victims(Scene scene) {
    return scene.decisions().stream()
        .filter(Decision.Preempt.class::isInstance)
        .map(Decision.Preempt.class::cast)
        .flatMap(decision -> decision.victims().stream())
        .map(victim -> victim.gang().name())
        .toList();
  }

  static List<String> evicted(Scene scene) {
    return scene.asked().stream()
        .filter(Effect.Evict.class::isInstance)
        .map(effect -> effect.gang().name())
        .distinct()
        .toList();
  }
}
