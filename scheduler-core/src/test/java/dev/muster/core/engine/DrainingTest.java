package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.State;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Nodes are drained for gangs that waited too long.
class DrainingTest extends BackfillScenes {
  @Test
  void nodes_are_drained_for_a_gang_that_waited_too_long() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[####]")
            .arrives(gang("a").of(1, 2))
            .arrives(gang("big").of(2, 4))
            .after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2))
            .arrives(gang("small").of(1, 1));
    assertThat(hold(scene, "big").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
    assertThat(scene.whyNot("small"))
        .contains(new Veto.WouldDelay(gang("big").id(), Optional.empty()));
    assertThat(scene.ends("a").nodesOf("big")).containsExactly("n1", "n2");
  }

  @Test
  void drain_is_not_searched_again_while_only_time_passes() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[#...]")
            .arrives(gang("a").of(1, 4))
            .arrives(gang("big").of(2, 4))
            .after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2));
    State sought = scene.state();
    assertThat(hold(scene, "big")).isEmpty();
    assertThat(scene.after(Duration.ofMinutes(2)).state().startForecasts())
        .isEqualTo(sought.startForecasts());
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n2"))).after(SECOND);
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting("name")
        .containsExactly("n1", "n2");
  }

  /// Three gangs want all A100s. The place of the first is drained, so that the others can have
  /// none as long as it waits, whatever else happens.
  @Test
  void gangs_that_cannot_be_drained_for_block_no_other_drain() {
    Scene scene =
        Scene.of("b/a: a1:A100[....] a2:A100[....]\nb/h: h1[....] h2[....]\nb/p: p1:P4[#]")
            .arrives(gang("a").of(2, 4).on(A100))
            .arrives(gang("h").of(2, 4).on(H100));
    for (int i = 0; i < 3; i++) {
      scene.arrives(gang("big" + i).of(2, 4).on(A100));
    }
    scene.arrives(gang("last").of(2, 4).on(H100));
    Duration nearly = BackfillSettings.DEFAULT.drainAfter().minusSeconds(2);
    assertThat(hold(scene.after(nearly), "last")).isEmpty();
    for (int second = 0; second < 5; second++) {
      scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("p1"))).after(SECOND);
      Resources one = Resources.of("nvidia.com/gpu", 1);
      NodeId p1 = new NodeId("p1");
      scene.then(new Event.UnmanagedPodSeen(scene.now(), Scene.unmanagedPod("p1"), p1, one, 1));
      scene.after(SECOND);
    }
    assertThat(hold(scene, "big0").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
    assertThat(hold(scene, "last").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
  }

  /// GPUs of a draining node are idle, so not all gangs that waited too long may drain at once.
  @Test
  void small_clusters_drain_for_one_gang_at_a_time() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]");
    for (int i = 0; i < 4; i++) {
      scene.arrives(gang("a" + i).of(1, 3));
    }
    scene.arrives(gang("first").of(2, 4)).after(SECOND).arrives(gang("second").of(2, 4));
    scene.after(BackfillSettings.DEFAULT.drainAfter().multipliedBy(2)).after(SECOND);
    assertThat(hold(scene, "first").orElseThrow().kind()).isEqualTo(Hold.Kind.DRAINING);
    assertThat(hold(scene, "second")).isEmpty();
    assertThat(scene.arrives(gang("small").of(1, 1)).nodesOf("small")).hasSize(1);
    scene.ends("a0").ends("a1").ends("a2").ends("a3").after(SECOND);
    assertThat(scene.nodesOf("first")).hasSize(2);
  }

  /// An eighth of 32 nodes are four: room for two such gangs.
  @Test
  void large_clusters_drain_an_eighth() {
    StringBuilder nodes = new StringBuilder("b/r:");
    for (int i = 0; i < 32; i++) {
      nodes.append(" n%02d[....]".formatted(i));
    }
    Scene scene = Scene.of(nodes.toString());
    for (int i = 0; i < 32; i++) {
      scene.arrives(gang("a" + i).of(1, 3));
    }
    for (int i = 0; i < 4; i++) {
      scene.arrives(gang("big" + i).of(2, 4)).after(SECOND);
    }
    scene.after(BackfillSettings.DEFAULT.drainAfter().multipliedBy(2)).after(SECOND).after(SECOND);
    assertThat(hold(scene, "big0")).isPresent();
    assertThat(hold(scene, "big1")).isPresent();
    assertThat(hold(scene, "big2")).isEmpty();
  }

  /// A node is free when the last has left it.
  @Test
  void drain_prefers_the_place_with_the_fewest_leaving_pods() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]");
    for (int i = 0; i < 3; i++) {
      scene.arrives(gang("a" + i).of(1, 1)).after(SECOND);
    }
    scene.arrives(gang("b").of(1, 2)).after(SECOND).arrives(gang("big").of(1, 4));
    String node = scene.nodesOf("b").getFirst();
    assertThat(scene.nodesOf("a0")).doesNotContain(node);
    scene.after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2));
    assertThat(hold(scene, "big").orElseThrow().shares().keys()).containsExactly(new NodeId(node));
  }

  /// The nodes of one gang come free at once.
  @Test
  void drain_prefers_the_place_of_a_single_gang() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]");
    scene.arrives(gang("a").of(1, 4)).arrives(gang("b").of(1, 4)).after(SECOND);
    scene.arrives(gang("wide").of(2, 4)).arrives(gang("big").of(2, 4));
    scene.after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(2));
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting(NodeId::name)
        .containsExactlyElementsOf(scene.nodesOf("wide"));
  }
}
