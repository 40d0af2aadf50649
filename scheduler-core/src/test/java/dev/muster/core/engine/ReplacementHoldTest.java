package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Capacity of a failed member is held for its replacement.
class ReplacementHoldTest extends BackfillScenes {
  @Test
  void capacity_of_a_failed_member_is_held_for_its_replacement() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(a);
    fails(scene, a, 1);
    scene.arrives(gang("stranger").of(1, 4));
    assertThat(scene.nodesOf("stranger")).isEmpty();
    scene.becomes(a.member(1, "-again"), new MemberState.Held(false));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
    assertThat(scene.cluster().holds().isEmpty()).isTrue();
  }

  @Test
  void capacity_of_two_failed_members_is_held() {
    GangDraft a = gang("a").of(3, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]").arrives(a);
    fails(scene, a, 1);
    fails(scene, a, 2);
    scene.arrives(gang("stranger").of(1, 4));
    assertThat(scene.nodesOf("stranger")).isEmpty();
  }

  @Test
  void after_a_restart_a_gang_without_a_member_has_its_repair_time() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.unsynced("b/r: n1[....] n2[####]", Policies.DEFAULT);
    GangPast ran = GangPast.NONE.running(Optional.of(2));
    scene.then(new Event.GangSeen(scene.now(), a.spec().recalling(Optional.of(ran))));
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.becomes(a.member(1, "-again"), new MemberState.Held(false));
    scene.then(new Event.Synced(scene.now())).after(Policies.REPAIR.minusSeconds(2));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    assertThat(scene.after(Duration.ofSeconds(4)).nodesOf("a")).isEmpty();
  }

  @Test
  void unused_capacity_for_a_replacement_is_released() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(a);
    fails(scene, a, 1);
    scene.arrives(gang("stranger").of(1, 4)).after(Policies.REPAIR.plusSeconds(2));
    assertThat(scene.nodesOf("stranger")).containsExactly("n2");
    assertThat(scene.nodesOf("a")).containsExactly("n1");
  }

  @Test
  void gang_without_a_place_for_its_replacement_is_released_whole() {
    GangDraft a = gang("a").of(2, 4);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(a);
    scene.then(new Event.NodeGone(scene.now(), scene.state("n2").id()));
    fails(scene, a, 1);
    scene.becomes(a.member(1, "-again"), new MemberState.Held(false));
    scene.after(Policies.REPAIR.minusSeconds(2));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
    assertThat(scene.after(Duration.ofSeconds(4)).nodesOf("a")).isEmpty();
  }
}
