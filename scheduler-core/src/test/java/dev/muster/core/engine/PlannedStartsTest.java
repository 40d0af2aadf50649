package dev.muster.core.engine;

import static dev.muster.core.engine.BackfillTest.hold;
import static dev.muster.core.engine.BackfillTest.twoBusyNodes;
import static dev.muster.core.kit.GangDraft.gang;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Policies;
import dev.muster.core.state.StartForecast;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What a planned start is worth to the gang that was promised it, and to those around it.
class PlannedStartsTest {
  private static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);
  private static final GpuModelPreference P4 = new GpuModelPreference(List.of("P4"), false);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration USUAL = Duration.ofMinutes(20);
  private static final Duration AGED = BackfillSettings.DEFAULT.drainAfter().plusSeconds(5);

  private static Instant in(int hours) {
    return Scene.START.plus(Duration.ofHours(hours));
  }

  @Test
  void kept_promise_is_not_drained_however_long_the_gang_waits() {
    Scene scene = twoBusyNodes().after(AGED);
    assertThat(hold(scene, "big").flatMap(Hold::start)).contains(in(2));
    scene.arrives(gang("small").of(1, 1).running(Duration.ofMinutes(10)));
    assertThat(scene.nodesOf("small")).hasSize(1);
  }

  @Test
  void nodes_are_drained_for_a_gang_whose_promise_was_broken() {
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

  /// What `a` is guaranteed `big` may not take while a gang of `a` waits for it: then neither may a
  /// start of `big` keep that gang from it.
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

  /// `first` and `second` want the same, but each has a place of its own.
  @Test
  void gang_whose_place_is_free_does_not_wait_for_an_older_one() {
    Scene scene = twoWait("b/r: n1[....] n2[....] n3[%s]".formatted("#".repeat(56)));
    assertThat(hold(scene, "second").flatMap(Hold::start)).contains(in(2));
    assertThat(scene.ends("b").nodesOf("second")).hasSize(1);
  }

  /// What is planned stands idle as others leave: of 8 GPUs those of one gang, not of all that
  /// wait.
  @Test
  void plans_beside_the_first_use_at_most_an_eighth_of_the_gpus() {
    Scene scene = twoWait("b/r: n1[....] n2[....]");
    assertThat(hold(scene, "first").flatMap(Hold::start)).contains(in(1));
    assertThat(hold(scene, "second")).isEmpty();
  }

  /// `big` needs the third node, too, and nobody knows whether the stranger there will ever leave.
  @Test
  void gang_that_cannot_be_drained_for_blocks_no_other_plan() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[#...]")
            .arrives(gang("a").of(1, 4))
            .arrives(gang("b").of(1, 4))
            .arrives(gang("big").of(3, 4))
            .arrives(gang("small").of(1, 4).createdAt(Scene.START.plus(SECOND)))
            .after(AGED)
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

  /// Its pods are told to end at once, and end one after the other.
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

  /// Those that have run for long are those that run for long.
  @Test
  void drain_prefers_the_place_of_the_younger_gang() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]");
    scene.arrives(gang("old").of(1, 4)).after(Duration.ofHours(1)).arrives(gang("young").of(1, 4));
    scene.arrives(gang("big").of(1, 4)).after(AGED);
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting(NodeId::name)
        .containsExactlyElementsOf(scene.nodesOf("young"));
  }

  /// `a` has run for half an hour, and nobody knows for how long it will; sixteen others took a
  /// third less.
  private static Scene drained() {
    return drained(gang("a").of(1, 2).on(H100));
  }

  private static Scene drained(GangDraft a) {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[####]\nb/p: p1:P4[................]")
            .arrives(a)
            .arrives(gang("big").of(2, 4).on(H100));
    IntStream.range(0, 16).forEach(i -> scene.arrives(gang("past" + i).of(1, 1).on(P4)));
    scene.after(USUAL);
    IntStream.range(0, 16).forEach(i -> scene.ends("past" + i));
    return scene.after(AGED.minus(USUAL)).after(SECOND);
  }

  @Test
  void gang_passes_a_drain_if_it_likely_ends_before_the_oldest_pod_there() {
    Scene scene =
        drained().arrives(gang("small").of(1, 1).on(H100).running(Duration.ofMinutes(10)));
    assertThat(hold(scene, "big").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    assertThat(scene.nodesOf("small")).hasSize(1);
  }

  @Test
  void gang_expected_to_outlast_the_oldest_pod_does_not_pass_a_drain() {
    Scene scene =
        drained().arrives(gang("small").of(1, 1).on(H100).running(Duration.ofMinutes(40)));
    assertThat(scene.whyNot("small"))
        .contains(new Veto.WouldDelay(gang("big").id(), Optional.empty()));
    assertThat(scene.after(Duration.ofMinutes(20)).nodesOf("small")).hasSize(1);
  }

  @Test
  void end_of_passing_a_drain_is_no_promised_start() {
    Hold drained = hold(drained(), "big").orElseThrow();
    assertThat(drained.start()).isPresent();
    assertThat(drained.promised()).isEmpty();
  }

  /// Each new answer wakes all that the place keeps from starting.
  @Test
  void
      end_of_passing_a_drain_does_not_change_every_second_while_a_pod_overruns() {
    Scene scene = drained(gang("a").of(1, 2).on(H100).running(Duration.ofMinutes(5)));
    Optional<Hold> drained = hold(scene, "big");
    assertThat(drained.map(Hold::kind)).contains(Hold.Kind.DRAINING);
    assertThat(drained.flatMap(Hold::start)).isPresent();
    assertThat(hold(scene.after(SECOND), "big")).isEqualTo(drained);
    assertThat(hold(scene.after(StartForecast.RECKONED), "big")).isNotEqualTo(drained);
  }

  /// The bound: else one short gang could follow the other for ever.
  @Test
  void no_gang_passes_a_drain_longer_than_eight_usual_run_times() {
    Scene scene = drained().after(USUAL.multipliedBy(8));
    scene.arrives(gang("small").of(1, 1).on(H100).running(SECOND));
    assertThat(scene.nodesOf("small")).isEmpty();
    assertThat(scene.ends("a").nodesOf("big")).hasSize(2);
  }

  @Test
  void unknown_gang_is_expected_to_run_as_long_as_nine_of_ten() {
    Scene scene = drained().arrives(gang("small").of(1, 1).on(H100));
    assertThat(scene.nodesOf("small")).hasSize(1);
  }

  /// A node with two gangs of 4, in a fleet of 64: room for two to be planned there.
  private static Scene halves(GangDraft x) {
    String full = " n%d[########]";
    String others = IntStream.rangeClosed(2, 8).mapToObj(full::formatted).collect(joining());
    return Scene.of("b/r: n1[........]" + others).arrives(x).arrives(gang("z").of(1, 4));
  }

  @Test
  void first_of_two_drains_on_one_node_gets_the_first_free_capacity() {
    Scene scene = halves(gang("x").of(1, 4));
    scene.arrives(gang("one").of(1, 4)).after(SECOND).arrives(gang("two").of(1, 4)).after(AGED);
    assertThat(hold(scene, "one").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    assertThat(hold(scene, "two").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    scene.ends("x");
    assertThat(scene.nodesOf("one")).hasSize(1);
    assertThat(scene.nodesOf("two")).isEmpty();
    assertThat(scene.ends("z").nodesOf("two")).hasSize(1);
  }

  /// Else both would wait for as long as `z` runs.
  @Test
  void capacity_of_a_planned_start_is_not_taken_by_a_later_drain() {
    Scene scene = halves(gang("x").of(1, 4).running(Duration.ofHours(2)));
    scene.arrives(gang("one").of(1, 4)).after(SECOND).arrives(gang("two").of(1, 4)).after(AGED);
    assertThat(hold(scene, "one").map(Hold::kind)).contains(Hold.Kind.PLANNED);
    assertThat(hold(scene, "two").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    scene.ends("x");
    assertThat(scene.nodesOf("one")).hasSize(1);
    assertThat(scene.nodesOf("two")).isEmpty();
    assertThat(scene.ends("z").nodesOf("two")).hasSize(1);
  }

  /// It may not take back what it leaves, again and again.
  @Test
  void gang_recreated_while_it_ends_does_not_pass_the_drain_of_its_place() {
    GangDraft a = gang("a").of(2, 2).minCount(1);
    Scene scene = Scene.of("b/r: n1[....] n2[####]").arrives(a).arrives(gang("big").of(1, 4));
    scene.after(AGED);
    assertThat(hold(scene, "big").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    List<Member> pods = scene.gang("a").members().values();
    pods.forEach(pod -> scene.becomes(pod, new MemberState.Leaving(pod.node())));
    scene.then(new Event.MemberGone(scene.now(), a.id(), pods.getFirst().id()));
    scene.becomes(a.member(0, "-again"), new MemberState.Held(false));
    assertThat(hold(scene, "a").map(Hold::kind)).contains(Hold.Kind.ENDING);
    assertThat(scene.nodesOf("a")).isEmpty();
    scene.then(new Event.MemberGone(scene.now(), a.id(), pods.getLast().id()));
    assertThat(scene.nodesOf("big")).containsExactly("n1");
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
