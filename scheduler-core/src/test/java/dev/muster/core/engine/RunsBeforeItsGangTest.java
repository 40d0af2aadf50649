package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Members that ran before their gang was declared run on, and the others join them together.
class RunsBeforeItsGangTest {
  private static final GangDraft FOUR = gang("a").of(4, 4);

  /// Two members run and two wait, before an object declares the gang and records the two.
  private static Scene upgraded(String drawing) {
    Scene scene = Scene.of(drawing);
    for (int i = 0; i < 2; i++) {
      NodeId node = new NodeId("n" + (i + 1));
      scene.becomes(FOUR.member(i, ""), new MemberState.Bound(node, scene.now()));
    }
    scene.becomes(FOUR.member(2, ""), new MemberState.Held(false));
    scene.becomes(FOUR.member(3, ""), new MemberState.Held(false));
    GangPast two = GangPast.NONE.running(Optional.of(2));
    return scene.then(new Event.GangSeen(scene.now(), FOUR.spec().recalling(Optional.of(two))));
  }

  @Test
  void running_members_are_not_evicted_because_the_others_have_no_place() {
    Scene scene = upgraded("b/r: n1[....] n2[....]").after(Policies.REPAIR.plusMinutes(1));

    assertThat(scene.decisions()).noneMatch(Decision.Release.class::isInstance);
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void one_of_the_others_does_not_start_alone() {
    Scene scene = upgraded("b/r: n1[....] n2[....] n3[....]").after(Duration.ofMinutes(1));

    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void the_others_start_together_when_all_of_them_fit() {
    Scene scene = upgraded("b/r: n1[....] n2[....] n3[....] n4[....]");

    assertThat(scene.nodesOf("a")).containsExactlyInAnyOrder("n1", "n2", "n3", "n4");
  }
}
