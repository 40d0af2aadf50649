package dev.muster.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The run time of a gang is learnt when all its pods end at once.
class EndedAtOnceTest {
  private final Scene scene = Scene.of("b1/r1: n1[....] n2[....]");

  private Event.GangFact seen(int pod, boolean succeeded) {
    return new Event.MemberSeen(scene.now(), pod(pod).as(new MemberState.Ended(succeeded)));
  }

  private Event.GangFact gone(int pod) {
    return new Event.MemberGone(scene.now(), pod(pod).gang(), pod(pod).id());
  }

  private Member pod(int index) {
    return scene.gang("g").members().values().get(index);
  }

  private List<String> learntFrom(Event.GangFact... facts) {
    assertThat(scene.gang("g").boundCount()).isEqualTo(2);
    scene.then(new Event.GangChanged(scene.now(), scene.gang("g").id(), List.of(facts)));
    assertThat(scene.gang("g").boundCount()).isZero();
    return scene.state().history().byLineage().keys();
  }

  @Test
  void run_time_is_learnt_if_all_members_ended_well() {
    scene.arrives(GangDraft.gang("g").of(2, 4).of("work")).after(Duration.ofMinutes(1));
    assertThat(learntFrom(seen(0, true), seen(1, true), gone(0), gone(1))).containsExactly("work");
  }

  @Test
  void run_time_is_not_learnt_if_a_member_failed() {
    scene.arrives(GangDraft.gang("g").of(2, 4).of("work")).after(Duration.ofMinutes(1));
    assertThat(learntFrom(seen(0, false), seen(1, true))).isEmpty();
  }

  @Test
  void run_time_is_not_learnt_if_a_member_was_deleted() {
    scene.arrives(GangDraft.gang("g").of(2, 4).of("work")).after(Duration.ofMinutes(1));
    assertThat(learntFrom(seen(0, true), gone(1))).isEmpty();
  }

  @Test
  void run_time_of_a_gang_without_gpus_is_not_learnt() {
    scene.arrives(GangDraft.gang("g").of(2, 0).of("work")).after(Duration.ofMinutes(1));
    assertThat(learntFrom(seen(0, true), seen(1, true), gone(0), gone(1))).isEmpty();
    assertThat(scene.state().history().fleet().since()).isEmpty();
  }

  @Test
  void run_time_of_a_gang_is_learnt_if_one_member_uses_gpus() {
    scene.arrives(GangDraft.gang("g").of(1, 4).of(1, 0).of("work")).after(Duration.ofMinutes(1));
    assertThat(learntFrom(seen(0, true), seen(1, true))).containsExactly("work");
  }
}
