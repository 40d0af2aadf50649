package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A gang that another scheduler started in part, before Muster came, runs on.
class StartedByOthersTest {
  private static final GangDraft FOUR = gang("a").of(4, 4);

  /// Two of four run, the others wait. The object records what Muster knows of the gang.
  private static Scene halved(String drawing, Optional<GangPast> past) {
    Scene scene = Scene.unsynced(drawing, Policies.DEFAULT);
    scene.then(new Event.GangSeen(scene.now(), FOUR.spec().recalling(past)));
    for (int rank = 0; rank < 2; rank++) {
      NodeId node = new NodeId("n" + (rank + 1));
      scene.becomes(FOUR.member(rank, ""), new MemberState.Bound(node, scene.now()));
      scene.becomes(FOUR.member(rank + 2, ""), new MemberState.Held(false));
    }
    return scene.then(new Event.Synced(scene.now()));
  }

  @Test
  void running_pods_are_not_evicted_for_those_without_a_place() {
    Scene scene = halved("b/r: n1[....] n2[....] n3[....]", Optional.empty());

    scene.after(Policies.REPAIR.multipliedBy(3));

    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  @Test
  void number_of_its_running_pods_is_recorded() {
    Scene scene = halved("b/r: n1[....] n2[....]", Optional.empty());

    assertThat(scene.asked()).contains(new Effect.ClearReservation(FOUR.id(), Optional.of(2)));
  }

  @Test
  void others_start_together_when_all_have_a_place() {
    Scene scene = halved("b/r: n1[....] n2[....] n3[....] n4[....]", Optional.empty());

    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2", "n3", "n4");
  }

  @Test
  void driver_without_gpus_that_runs_early_is_no_start() {
    GangDraft driven = gang("a").of(1, 0).of(2, 4);
    Scene scene = Scene.unsynced("b/r: n1[....]", Policies.DEFAULT);
    scene.then(new Event.GangSeen(scene.now(), driven.spec()));
    NodeId node = new NodeId("n1");
    scene.becomes(driven.member(0, ""), new MemberState.Bound(node, scene.now()));

    scene.then(new Event.Synced(scene.now()));

    assertThat(scene.gang("a").past().ranWith()).isEmpty();
  }

  @Test
  void gang_that_muster_knows_is_repaired_in_time_or_released() {
    Instant eligible = Scene.of("b/r: n1[....]").now();
    Scene scene =
        halved(
            "b/r: n1[....] n2[....] n3[....]",
            Optional.of(GangPast.NONE.eligible(Optional.of(eligible))));

    scene.after(Policies.REPAIR.plusSeconds(5));

    assertThat(scene.asked()).anyMatch(Effect.Evict.class::isInstance);
  }
}
