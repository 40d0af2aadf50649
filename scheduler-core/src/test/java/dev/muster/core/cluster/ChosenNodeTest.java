package dev.muster.core.cluster;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import org.junit.jupiter.api.Test;

/// Only the node that was chosen for a pod is blamed for its failure.
class ChosenNodeTest {
  private static final String A_AND_B = "b/r: a[....] b[....]";
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  private final GangDraft gang = gang("g").of(1, 4);
  private final Member pod = gang.member(0, "");

  @Test
  void promised_node_is_chosen_and_no_other_one() {
    Cluster cluster = Scene.of(A_AND_B).silent().arrives(gang).cluster();

    assertThat(cluster.isChosen(pod, A)).isTrue();
    assertThat(cluster.isChosen(pod, B)).isFalse();
  }

  @Test
  void node_to_which_a_pod_was_bound_as_promised_is_chosen_and_no_other_one() {
    Cluster cluster = Scene.of(A_AND_B).arrives(gang).cluster();

    assertThat(cluster.promise(pod)).isEmpty();
    assertThat(cluster.isChosen(pod, A)).isTrue();
    assertThat(cluster.isChosen(pod, B)).isFalse();
  }

  @Test
  void node_that_the_creator_named_is_not_chosen() {
    Scene scene = Scene.of(A_AND_B);
    scene.then(new Event.GangSeen(scene.now(), gang.spec()));
    Member bound = pod.as(new MemberState.Bound(A, scene.now()));
    scene.then(new Event.MemberSeen(scene.now(), bound));

    assertThat(scene.cluster().isChosen(bound, A)).isFalse();
  }

  /// A pod keeps its reservation while its gang starts. Another node than the promised one has it
  /// if somebody else has bound it there.
  @Test
  void other_node_to_which_a_promised_pod_was_bound_is_not_chosen() {
    Scene scene = Scene.of(A_AND_B).silent().arrives(gang);
    scene.becomes(pod, new MemberState.Bound(B, scene.now()));

    assertThat(scene.cluster().isChosen(pod, B)).isFalse();
  }
}
