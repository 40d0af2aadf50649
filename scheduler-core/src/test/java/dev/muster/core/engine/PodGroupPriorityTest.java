package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A PodGroup never ranks above its pods, whose priority the API server has checked.
class PodGroupPriorityTest {
  private static final int CRITICAL = 2_000_001_000;

  private static Scene oneNode() {
    return Scene.of("b/r: n1[....]", Policies.DEFAULT.with(new SceneEvents(Duration.ofSeconds(1))));
  }

  private static Scene asking(Scene scene, String name, int priority) {
    GangSpec spec = scene.gang(name).spec().orElseThrow().prior(Optional.of(priority));
    return scene.then(new Event.GangSeen(scene.now(), spec));
  }

  @Test
  void critical_class_of_a_pod_group_evicts_nobody() {
    Scene scene =
        oneNode()
            .arrives(gang("other").of(1, 4).priority(1_000))
            .arrives(gang("greedy").of(1, 4).priority(0));
    asking(scene, "greedy", CRITICAL).after(Duration.ofMinutes(1));

    assertThat(scene.gang("greedy").priority()).isZero();
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
  }

  @Test
  void status_says_that_the_priority_of_the_pod_group_does_not_count() {
    Scene scene =
        oneNode()
            .arrives(gang("other").of(1, 4).priority(1_000))
            .arrives(gang("greedy").of(1, 4).priority(0));
    asking(scene, "greedy", CRITICAL).after(Duration.ofMinutes(1));

    assertThat(scene.state().publishedStatus(gang("greedy").id()).orElseThrow().message())
        .endsWith(
            " Its PodGroup asks for priority 2000001000, but a pod has 0, which counts. Set priorityClassName on the pods.");
  }

  @Test
  void pod_group_may_lower_the_priority_of_its_pods() {
    Scene scene = oneNode().arrives(gang("modest").of(1, 4).priority(1_000));
    asking(scene, "modest", 10);

    assertThat(scene.gang("modest").priority()).isEqualTo(10);
    assertThat(scene.gang("modest").overstatedPriority()).isEmpty();
  }
}
