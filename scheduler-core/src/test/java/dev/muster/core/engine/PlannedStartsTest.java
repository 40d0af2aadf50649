package dev.muster.core.engine;

import static dev.muster.core.engine.BackfillScenes.hold;
import static dev.muster.core.engine.BackfillTest.twoBusyNodes;
import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A planned start is kept for its gang and does not block other gangs needlessly.
class PlannedStartsTest extends PlannedStartScenes {
  @Test
  void kept_promise_is_not_drained_however_long_the_gang_waits() {
    Scene scene = twoBusyNodes().after(AGED);
    assertThat(hold(scene, "big").flatMap(Hold::start)).contains(in(2));
    scene.arrives(gang("small").of(1, 1).running(Duration.ofMinutes(10)));
    assertThat(scene.nodesOf("small")).hasSize(1);
  }

  @Test
  void nodes_are_drained_for_a_gang_with_a_broken_promise() {
    Scene scene = twoBusyNodes().ends("a").after(Duration.ofHours(2).plusSeconds(5));
    assertThat(hold(scene, "big").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    scene.arrives(gang("small").of(1, 1));
    assertThat(scene.nodesOf("small")).isEmpty();
  }

  @Test
  void gang_planned_after_a_long_wait_lets_shorter_ones_pass() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[####]")
            .arrives(gang("a").of(2, 3).running(Duration.ofHours(2)))
            .arrives(gang("first").of(2, 4).running(Duration.ofHours(1)))
            .arrives(gang("second").of(2, 4).running(Duration.ofHours(1)))
            .after(AGED.multipliedBy(2));
    assertThat(hold(scene, "second")).isEmpty();
    scene.ends("a").after(SECOND);
    assertThat(hold(scene, "second").map(Hold::kind)).contains(Hold.Kind.PLANNED);
  }

  private static Scene onTwoNodes(Queue... queues) {
    Policies policies =
        Policies.of(Queues.of(List.of(queues)), Duration.ofMinutes(2), Optional.empty());
    return Scene.of("b/r: n1[....] n2[....]", policies);
  }

  /// Beyond its guarantee a queue claims nothing, however many of its gangs wait.
  @Test
  void borrower_is_planned_while_gangs_of_a_guaranteed_queue_wait() {
    Scene scene =
        onTwoNodes(Queue.of("a").guaranteed(Quota.of(4)), Queue.of("b"))
            .arrives(gang("a1").of(1, 4).queue("a").running(Duration.ofHours(1)))
            .arrives(gang("a2").of(1, 3).queue("a").running(Duration.ofHours(2)))
            .arrives(gang("big").of(2, 4).queue("b").priority(5))
            .arrives(gang("a3").of(1, 4).queue("a"))
            .after(SECOND);
    assertThat(hold(scene, "big").flatMap(Hold::start)).contains(in(2));
  }

  /// Gang `big` may not use the guarantee of `a` while a gang of `a` waits for it. So no planned
  /// start of `big` may block that gang.
  @Test
  void plan_of_a_borrower_blocks_no_guaranteed_capacity() {
    Scene scene =
        onTwoNodes(Queue.of("a").guaranteed(Quota.of(6)), Queue.of("b"))
            .arrives(gang("a1").of(1, 4).queue("a").running(Duration.ofHours(5)))
            .arrives(gang("b1").of(1, 2).queue("b").running(Duration.ofHours(2)))
            .arrives(gang("big").of(1, 4).queue("b"))
            .after(SECOND);
    assertThat(hold(scene, "big").flatMap(Hold::start)).contains(in(2));
    scene.arrives(gang("a2").of(1, 2).queue("a"));
    assertThat(scene.nodesOf("a2")).isEmpty();
    assertThat(scene.after(SECOND).nodesOf("a2")).hasSize(1);
  }

  @Test
  void plan_stays_while_shorter_gangs_use_the_limit_of_its_queue() {
    Scene scene =
        onTwoNodes(Queue.of("a"), Queue.of("b").most(Quota.of(5)))
            .arrives(gang("a1").of(1, 4).queue("a").running(Duration.ofHours(5)))
            .arrives(gang("a2").of(1, 2).queue("a").running(Duration.ofHours(2)))
            .arrives(gang("big").of(1, 4).queue("b"))
            .after(SECOND)
            .arrives(gang("small").of(1, 2).queue("b").running(Duration.ofMinutes(5)))
            .after(SECOND);
    assertThat(scene.nodesOf("small")).hasSize(1);
    assertThat(hold(scene, "big").flatMap(Hold::start)).contains(in(2));
  }

  /// It could run where `big` is planned if it started now; but it will not be gone by then.
  @Test
  void no_start_is_planned_on_capacity_needed_by_another_plan() {
    Scene scene =
        twoBusyNodes()
            .arrives(gang("middle").of(1, 4).running(Duration.ofMinutes(90)))
            .after(SECOND.multipliedBy(2));
    assertThat(hold(scene, "middle")).isEmpty();
    assertThat(scene.after(Duration.ofHours(1)).ends("a").nodesOf("middle")).isEmpty();
    assertThat(scene.ends("b").nodesOf("big")).hasSize(2);
  }

  @Test
  void plan_yields_to_a_plan_of_an_earlier_gang() {
    Scene scene = twoBusyNodes();
    scene.arrives(gang("urgent").of(1, 4).priority(5)).after(SECOND).after(SECOND);
    Hold urgent = hold(scene, "urgent").orElseThrow();
    assertThat(urgent.start()).contains(in(1));
    assertThat(hold(scene, "big")).isEmpty();
  }

  @Test
  void gang_with_a_yielded_plan_is_planned_again() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[%s]".formatted("#".repeat(56)))
            .arrives(gang("a").of(1, 4).running(Duration.ofHours(1)))
            .arrives(gang("b").of(1, 4).running(Duration.ofHours(2)))
            .arrives(gang("other").of(1, 4).running(Duration.ofHours(5)))
            .after(SECOND);
    assertThat(hold(scene, "other").flatMap(Hold::start)).contains(in(1));
    scene.arrives(gang("urgent").of(1, 4).priority(5)).after(SECOND).after(SECOND);
    assertThat(List.of(hold(scene, "urgent"), hold(scene, "other")))
        .extracting(hold -> hold.flatMap(Hold::start).orElseThrow())
        .containsExactly(in(1), in(2));
  }

  /// `wide` needs three nodes at once; younger gangs of one node each are planned one after the
  /// other meanwhile.
  @Test
  void small_plans_behind_a_gang_do_not_take_its_place() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....] n4[%s]".formatted("#".repeat(116)))
            .arrives(gang("a").of(1, 4).running(Duration.ofHours(1)))
            .arrives(gang("b").of(1, 4).running(Duration.ofHours(2)))
            .arrives(gang("c").of(1, 4))
            .arrives(gang("wide").of(3, 4).running(Duration.ofHours(1)))
            .arrives(
                gang("small")
                    .of(1, 4)
                    .running(Duration.ofHours(9))
                    .createdAt(Scene.START.plus(SECOND)))
            .after(SECOND);
    assertThat(hold(scene, "wide")).isEmpty(); // nobody knows when c ends
    assertThat(hold(scene, "small").flatMap(Hold::start)).contains(in(1));
    scene.after(AGED);
    assertThat(hold(scene, "wide").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    scene.ends("a").ends("b");
    assertThat(scene.nodesOf("small")).isEmpty();
    assertThat(scene.ends("c").nodesOf("wide")).hasSize(3);
  }

  /// Gangs `first` and `second` have equal requests, but each has its own place.
  @Test
  void gang_with_a_free_place_does_not_wait_for_an_older_one() {
    Scene scene = twoWait("b/r: n1[....] n2[....] n3[%s]".formatted("#".repeat(56)));
    assertThat(hold(scene, "second").flatMap(Hold::start)).contains(in(2));
    assertThat(scene.ends("b").nodesOf("second")).hasSize(1);
  }

  /// Planned capacity is idle while other pods leave. Of 8 GPUs, the plans of one gang may be idle,
  /// not those of all waiting gangs.
  @Test
  void plans_beside_the_first_use_at_most_an_eighth_of_the_gpus() {
    Scene scene = twoWait("b/r: n1[....] n2[....]");
    assertThat(hold(scene, "first").flatMap(Hold::start)).contains(in(1));
    assertThat(hold(scene, "second")).isEmpty();
  }

  /// Gang `big` also needs the third node, where an unmanaged pod runs for an unknown time.
  @Test
  void gang_that_cannot_be_drained_for_blocks_no_other_plan() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[####]")
            .arrives(gang("a").of(1, 4))
            .arrives(gang("b").of(1, 3))
            .arrives(gang("big").of(3, 4))
            .arrives(gang("small").of(1, 4).createdAt(Scene.START.plus(SECOND)))
            .after(AGED)
            .arrives(gang("young").of(1, 1))
            .ends("b")
            .after(SECOND)
            .after(AGED);
    assertThat(hold(scene, "big")).isEmpty();
    assertThat(hold(scene, "small").map(Hold::kind)).contains(Hold.Kind.DRAINING);
  }

  /// Else whatever is small would take it piece by piece.
  @Test
  void capacity_of_an_ending_gang_comes_free_in_one_piece() {
    Scene scene = endingGang().ends("a");
    assertThat(scene.nodesOf("big")).containsExactly("n1", "n2");
  }

  @Test
  void capacity_of_one_member_comes_free_after_a_while() {
    Scene scene = endingGang();
    scene.becomes(scene.gang("a").members().values().getFirst(), new MemberState.Ended(true));
    assertThat(scene.nodesOf("small")).isEmpty();
    scene.after(Hold.ENDING_WITHIN);
    assertThat(scene.nodesOf("small")).hasSize(1);
  }

  /// Its pods are deleted at once and end one after the other.
  @Test
  void capacity_of_a_deleted_gang_comes_free_in_one_piece() {
    Scene scene = endingGang();
    List<Member> pods = scene.gang("a").members().values();
    pods.forEach(pod -> scene.becomes(pod, new MemberState.Leaving(pod.node())));
    pods.forEach(pod -> scene.then(new Event.MemberGone(scene.now(), pod.gang(), pod.id())));
    assertThat(scene.nodesOf("big")).containsExactly("n1", "n2");
  }

  /// Of some job controllers' deletions the object of the gang is seen to go before its pods.
  @Test
  void capacity_of_a_gang_without_an_object_comes_free_in_one_piece() {
    Scene scene = endingGang();
    for (Member pod : scene.gang("a").members()) {
      scene.then(new Event.MemberGone(scene.now(), pod.gang(), pod.id()));
      scene.then(new Event.GangGone(scene.now(), pod.gang()));
    }
    assertThat(scene.nodesOf("big")).containsExactly("n1", "n2");
  }

  private static Scene endingGang() {
    return Scene.of("b/r: n1[....] n2[....]")
        .arrives(gang("a").of(2, 4))
        .arrives(gang("big").of(2, 4))
        .arrives(gang("small").of(1, 4));
  }

  private static Scene twoWait(String fleet) {
    return Scene.of(fleet)
        .arrives(gang("a").of(1, 4).running(Duration.ofHours(1)))
        .arrives(gang("b").of(1, 4).running(Duration.ofHours(2)))
        .arrives(gang("first").of(1, 4).running(Duration.ofHours(5)))
        .arrives(gang("second").of(1, 4).running(Duration.ofHours(5)))
        .after(SECOND.multipliedBy(2));
  }
}
