package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import org.junit.jupiter.api.Test;

/// Pods of an owner that was replaced are apart from the gang of its name.
class ApartPodsTest {
  private static final GangDraft GANG = gang("g").of(2, 4).queue("a");

  private final Scene scene = Scene.of("b/r: n1[........] n2[........]").arrives(GANG);
  private final GangId apart = GANG.id().apart("o1");

  private void leaveTheGang() {
    for (Member pod : scene.gang("g").bound()) {
      scene.then(new Event.MemberSeen(scene.now(), apart(pod)));
      scene.then(new Event.MemberGone(scene.now(), GANG.id(), pod.id()));
    }
  }

  private Member apart(Member pod) {
    return new Member(
        pod.id(),
        apart,
        pod.rank(),
        pod.priority(),
        pod.request(),
        pod.wishes(),
        pod.state(),
        pod.createdAt());
  }

  private int charged(String queue) {
    return scene.cluster().ledger().account(queue).inUse();
  }

  @Test
  void their_gpus_stay_on_the_account_of_the_gang() {
    leaveTheGang();
    assertThat(charged("a")).isEqualTo(8);
    assertThat(charged("ml")).isZero();
  }

  @Test
  void their_gpus_stay_there_when_the_next_gang_names_another_queue() {
    leaveTheGang();
    scene.then(new Event.GangGone(scene.now(), GANG.id()));
    scene.then(new Event.GangSeen(scene.now(), gang("g").of(2, 4).queue("b").spec()));
    assertThat(charged("a")).isEqualTo(8);
    assertThat(scene.gang("g").queue()).isEqualTo("b");
  }

  /// The next gang is seen first, and the gang holds no GPUs once its last pod is apart.
  @Test
  void gpus_of_the_last_pod_stay_there_although_the_next_gang_names_another_queue() {
    scene.then(new Event.GangGone(scene.now(), GANG.id()));
    scene.then(new Event.GangSeen(scene.now(), gang("g").of(2, 4).queue("b").spec()));
    leaveTheGang();
    assertThat(charged("a")).isEqualTo(8);
    assertThat(charged("b")).isZero();
  }

  @Test
  void gpus_stay_there_when_a_pod_without_gpus_was_apart_first() {
    GangDraft mixed = gang("g").of(1, 0).of(1, 4).queue("a");
    Scene one = Scene.of("b/r: n1[....]").arrives(mixed);
    one.then(new Event.GangGone(one.now(), GANG.id()));
    for (Member pod : one.gang("g").bound()) {
      one.then(new Event.MemberSeen(one.now(), apart(pod)));
      one.then(new Event.MemberGone(one.now(), GANG.id(), pod.id()));
    }
    assertThat(one.cluster().ledger().account("a").inUse()).isEqualTo(4);
  }

  @Test
  void their_gpus_go_to_no_waiting_gang_in_between() {
    scene.arrives(gang("waiting").of(1, 8)).arrives(gang("small").of(2, 4));
    leaveTheGang();
    assertThat(scene.state("n1").usedGpus() + scene.state("n2").usedGpus()).isEqualTo(16);
    assertThat(scene.nodesOf("waiting").size() + scene.nodesOf("small").size()).isEqualTo(1);
  }

  @Test
  void they_do_not_count_for_the_gang() {
    leaveTheGang();
    assertThat(scene.gang("g").boundCount()).isZero();
  }

  @Test
  void account_is_free_when_they_are_gone() {
    leaveTheGang();
    for (Member pod : scene.cluster().gang(apart).bound()) {
      scene.then(new Event.MemberGone(scene.now(), apart, pod.id()));
    }
    assertThat(charged("a")).isZero();
  }

  /// Nothing remembers the queue of the gang. After a restart its pods are seen first.
  @Test
  void without_their_gang_they_are_charged_to_their_namespace() {
    Scene restarted = Scene.of("b/r: n1[........]");
    Member pod = apart(GANG.member(0, ""));
    restarted.then(
        new Event.MemberSeen(
            restarted.now(), pod.as(new MemberState.Bound(new NodeId("n1"), restarted.now()))));
    assertThat(restarted.cluster().ledger().account("ml").inUse()).isEqualTo(4);
  }
}
