package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Victims that only the quota needs, among more gangs than are combined exhaustively.
class ManyQuotaVictimsTest extends PreemptionScenes {
  private static final int GANGS = 14;
  private static final String ROOM = "b/r: n1[........] n2[........] n3[........]";

  private static Policies most(int gpus) {
    return Policies.of(
            Queues.of(List.of(Queue.of("a").most(Quota.of(gpus)), Queue.of("b"))),
            Duration.ofMinutes(2),
            Optional.empty())
        .with(new PriorityPreemptionPolicy(Mode.ENFORCE));
  }

  /// Gangs of one GPU fill the queue, of priorities 0 to 13. The nodes have room.
  private static Scene full(Policies policies) {
    Scene scene = Scene.of(ROOM, policies);
    for (int i = 0; i < GANGS; i++) {
      scene.arrives(gang("g" + i).of(1, 1).queue("a").priority(i));
    }
    return scene;
  }

  @Test
  void lowest_gangs_of_the_queue_leave_for_its_quota() {
    Scene scene = full(most(GANGS)).arrives(gang("urgent").of(1, 3).queue("a").priority(1000));
    assertThat(victims(scene.after(SECOND))).containsExactlyInAnyOrder("g0", "g1", "g2");
    assertThat(scene.nodesOf("urgent")).hasSize(1);
  }

  @Test
  void no_more_gangs_leave_than_the_quota_lacks() {
    Scene scene = full(most(GANGS + 2)).arrives(gang("urgent").of(1, 3).queue("a").priority(1000));
    assertThat(victims(scene.after(SECOND))).containsExactly("g0");
  }

  @Test
  void nobody_leaves_if_all_together_free_too_little_quota() {
    Scene scene = full(most(GANGS)).arrives(gang("next").of(1, 3).queue("a").priority(2));
    assertThat(victims(scene.after(SECOND))).isEmpty();
  }

  @Test
  void gangs_of_other_queues_stay_when_only_quota_is_short() {
    Scene scene = full(most(GANGS)).arrives(gang("other").of(1, 1).queue("b").priority(-1));
    scene.arrives(gang("urgent").of(1, 1).queue("a").priority(1000)).after(SECOND);
    assertThat(victims(scene)).containsExactly("g0");
  }
}
