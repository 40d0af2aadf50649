package dev.muster.core.engine;

import static dev.muster.core.engine.BackfillScenes.hold;
import static dev.muster.core.kit.GangDraft.gang;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.StartForecast;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Gangs pass a node that drains for another gang only if they likely end in time.
class PassingDrainsTest extends PlannedStartScenes {
  /// Pods that have run for long are expected to run for long.
  @Test
  void drain_prefers_the_place_of_the_younger_gang() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]");
    scene.arrives(gang("old").of(1, 4)).after(Duration.ofHours(1)).arrives(gang("young").of(1, 4));
    scene.arrives(gang("big").of(1, 4)).after(AGED);
    assertThat(hold(scene, "big").orElseThrow().shares().keys())
        .extracting(NodeId::name)
        .containsExactlyElementsOf(scene.nodesOf("young"));
  }

  /// Gang `a` has run for half an hour, with unknown run time. Sixteen others took a third less.
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
  void end_of_passing_a_drain_does_not_change_every_second_while_a_pod_overruns() {
    Scene scene = drained(gang("a").of(1, 2).on(H100).running(Duration.ofMinutes(5)));
    Optional<Hold> drained = hold(scene, "big");
    assertThat(drained.map(Hold::kind)).contains(Hold.Kind.DRAINING);
    assertThat(drained.flatMap(Hold::start)).isPresent();
    assertThat(hold(scene.after(SECOND), "big")).isEqualTo(drained);
    assertThat(hold(scene.after(StartForecast.RECKONED), "big")).isNotEqualTo(drained);
  }

  /// Without this bound, one short gang could follow the other forever.
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

  /// The run times of 16 gangs are learnt together: first two of 50 minutes, then none.
  @Test
  void unknown_gang_passes_a_drain_as_soon_as_others_are_known_to_run_shorter() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[####]\nb/p: p1:P4[%s]".formatted(".".repeat(32)));
    IntStream.range(0, 2).forEach(i -> scene.arrives(gang("long" + i).of(1, 1).on(P4)));
    scene.after(USUAL).arrives(gang("a").of(1, 2).on(H100)).arrives(gang("big").of(2, 4).on(H100));
    scene.after(AGED.minus(USUAL));
    IntStream.range(0, 30).forEach(i -> scene.arrives(gang("past" + i).of(1, 1).on(P4)));
    scene.after(USUAL).ends("long0").ends("long1");
    IntStream.range(0, 14).forEach(i -> scene.ends("past" + i));
    scene.after(SECOND).arrives(gang("small").of(1, 1).on(H100));
    assertThat(scene.whyNot("small"))
        .contains(new Veto.WouldDelay(gang("big").id(), Optional.empty()));
    IntStream.range(14, 30).forEach(i -> scene.ends("past" + i));
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
}
