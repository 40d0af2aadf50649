package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A preemption is weighed against the guarantee claims at the time of its decision.
class LateClaimsTest extends PreemptionScenes {
  private static final Policies POLICIES =
      Policies.of(
              Queues.of(
                  List.of(Queue.of("a").guaranteed(Quota.NONE.with("H100", 4)), Queue.of("b"))),
              Duration.ofMinutes(2),
              Optional.empty())
          .with(new PriorityPreemptionPolicy(Mode.ENFORCE));

  /// The victim of queue b has 4 GPUs and leaves for `urgent`. Meanwhile a gang of queue a arrives,
  /// whose guarantee are these 4.
  private static Scene claimedWhileVictimsLeave() {
    Scene scene = Scene.of("b/r: n1[....]", POLICIES);
    scene.arrives(gang("victim").of(1, 4).queue("b")).silent();
    scene.arrives(gang("urgent").of(1, 4).queue("b").priority(5)).after(SECOND);
    assertThat(victims(scene)).containsExactly("victim");
    return scene.arrives(gang("late").of(1, 4).queue("a"));
  }

  @Test
  void gang_starts_where_its_victims_left_despite_later_claims() {
    Scene scene = claimedWhileVictimsLeave();
    Member victim = scene.gang("victim").members().values().getFirst();
    scene.then(new Event.MemberGone(scene.now(), victim.gang(), victim.id())).after(SECOND);
    Member urgent = scene.gang("urgent").members().values().getFirst();
    assertThat(scene.cluster().promise(urgent)).isPresent();
  }
}
