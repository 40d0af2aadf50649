package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.preempt.PreemptionOutcome;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemptions;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Victims are selected only for gangs that could start and may preempt.
class VictimSelectionTest {
  private static GangDraft on(String model, GangDraft gang) {
    return gang.on(new GpuModelPreference(List.of(model), false));
  }

  /// Two classes have so many gangs that one of each is always due, and no victim exists for them.
  /// They precede a class with a victim.
  @Test
  void every_wait_class_gets_its_search_however_long_earlier_ones_take() {
    Scene scene =
        Scene.of(
                "b/a: a1:A100[....]\nb/h: h1:H100[....]",
                Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE)))
            .arrives(on("A100", gang("prod").of(1, 4).priority(100)))
            .arrives(on("H100", gang("low").of(1, 4)));
    for (int i = 0; i < 70; i++) {
      scene.arrives(on("A100", gang("two" + i).of(1, 2).priority(10)));
      scene.arrives(on("A100", gang("three" + i).of(1, 3).priority(10)));
    }
    scene.arrives(on("H100", gang("last").of(1, 4).priority(5)));
    scene.after(PreemptionLimits.NONE.cooldown().multipliedBy(2));
    assertThat(scene.decisions())
        .filteredOn(Decision.Preempt.class::isInstance)
        .extracting(Decision::gang)
        .containsExactly(gang("last").id());
  }

  /// 300 kinds of pods in one namespace have no victims and the first places in the order.
  @Test
  void namespace_with_many_kinds_delays_the_search_of_another_by_a_turn() {
    Scene scene =
        Scene.of(
                "b/a: a1:A100[....]\nb/h: h1:H100[....]",
                Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE)))
            .arrives(on("A100", gang("prod").of(1, 4).priority(1_000)))
            .arrives(on("H100", gang("low").of(1, 4)));
    for (int i = 0; i < 300; i++) {
      scene.arrives(on("A100", gang("many", "p" + i).of(1, 2).priority(100 + i)));
    }
    scene.arrives(on("H100", gang("z", "last").of(1, 4).priority(5)));
    scene.after(Duration.ofSeconds(3));
    assertThat(stoppings(scene)).extracting(Decision::gang).containsExactly(gang("z", "last").id());
  }

  /// The victims' place alone was evaluated.
  @Test
  void preemptor_takes_no_claimed_capacity_elsewhere_while_victims_leave() {
    Queues queues =
        Queues.of(List.of(Queue.of("a").guaranteed(Quota.NONE.with("H100", 8)), Queue.of("b")));
    Policies policies =
        Policies.of(queues, Duration.ofMinutes(2), Optional.empty())
            .with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    Scene scene =
        Scene.of("b/r: n1:A100[....] n2:H100[....] n3:H100[####]", policies)
            .arrives(on("A100", gang("low").of(1, 4).queue("b")))
            .arrives(on("H100", gang("collects").of(2, 4).queue("a")))
            .silent()
            .arrives(gang("high").of(1, 4).queue("b").priority(10))
            .after(Duration.ofSeconds(5));
    assertThat(scene.decisions()).last().isInstanceOf(Decision.Preempt.class);
    assertThat(scene.cluster().reservations().contains(gang("high").id())).isFalse();
  }

  /// Pods of a PriorityClass with `preemptionPolicy: Never` opt out.
  @Test
  void no_gang_is_preempted_for_one_that_opts_out() {
    PreemptionPreference patient =
        new PreemptionPreference(true, Duration.ZERO, Optional.of(false));
    GangDraft high =
        gang("high")
            .of(1, 4)
            .priority(10)
            .podsWish(
                new GangConstraints(
                    TopologyConstraint.NONE, GpuModelPreference.ANY, Optional.empty(), patient));
    Policies policies = Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    Scene scene =
        Scene.of("b/r: n1[....]", policies)
            .arrives(gang("low").of(1, 4))
            .arrives(high)
            .after(Duration.ofMinutes(5));
    assertThat(stoppings(scene)).isEmpty();
    assertThat(PreemptionOutcome.of(scene.state(), policies, high.id()))
        .isInstanceOf(PreemptionOutcome.Declined.class);
  }

  /// `a2` borrows. Once it waits again, its queue claims the GPU that it lacks to its guarantee.
  @Test
  void no_gang_is_preempted_for_one_blocked_by_the_guarantee_claim_of_the_victim() {
    assertThat(stoppings(lent(gang("b").of(1, 5)))).isEmpty();
  }

  @Test
  void gang_within_the_guarantee_claim_may_preempt() {
    assertThat(stoppings(lent(gang("b").of(1, 4)))).hasSize(1);
  }

  /// Returns a full cluster with a waiting gang of another queue and higher priority.
  private static Scene lent(GangDraft other) {
    Queues queues = Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(4)), Queue.of("b")));
    Policies policies =
        Policies.of(queues, Duration.ofMinutes(2), Optional.empty())
            .with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    return Scene.of("b/r: n1[........]", policies)
        .arrives(gang("a1").of(1, 3).queue("a"))
        .arrives(gang("a2").of(1, 5).queue("a"))
        .arrives(other.queue("b").priority(10))
        .after(Duration.ofMinutes(1));
  }

  /// Else each would be looked at again and again, for nothing.
  @Test
  void gangs_without_lower_running_gangs_keep_no_preemption_state() {
    Scene scene =
        Scene.of("b/r: n1[....]", Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE)))
            .arrives(gang("runs").of(1, 4).priority(10))
            .arrives(gang("equal").of(1, 4).priority(10))
            .arrives(gang("lower").of(1, 3).priority(5))
            .after(Duration.ofSeconds(5));
    assertThat(scene.state().preemptions()).isEqualTo(Preemptions.NONE);
  }

  @Test
  void new_lower_gang_is_preempted_at_the_next_tick() {
    Scene scene =
        Scene.of(
                "b/r: n1[....] n2[###.]",
                Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE)))
            .arrives(gang("runs").of(1, 4).priority(10))
            .arrives(gang("waits").of(1, 4).priority(10))
            .after(Duration.ofSeconds(5))
            .arrives(gang("lower").of(1, 1).priority(5));
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n2")));
    assertThat(stoppings(scene.after(Duration.ofSeconds(1)))).hasSize(1);
    assertThat(scene.nodesOf("waits")).containsExactly("n2");
  }

  @Test
  void gang_behind_a_plan_replaced_by_a_preemption_starts_at_once() {
    Policies plain = Policies.DEFAULT.with(new BackfillSettings(1, Duration.ofMinutes(30)));
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....] n4[####]", plain)
            .arrives(gang("a").of(1, 3).priority(20).running(Duration.ofHours(1)))
            .arrives(gang("low1").of(1, 4).priority(1))
            .arrives(gang("low2").of(1, 4).priority(1))
            .arrives(gang("big").of(1, 4).priority(10))
            .after(Duration.ofSeconds(1));
    scene.arrives(gang("small").of(1, 1).priority(5)).silent();
    scene.under(plain.with(new PriorityPreemptionPolicy(Mode.ENFORCE)));
    scene.then(new Event.PolicyChanged(scene.now(), "other")).after(Duration.ofSeconds(12));
    assertThat(scene.cluster().reservations().contains(gang("small").id())).isTrue();
  }

  /// "low" leaves for "high", whose pod is never bound: it is released, and "low" starts again.
  @Test
  void preemptor_that_did_not_start_preempts_no_gang_for_a_while() {
    Policies policies = Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    GangDraft low = gang("low").of(1, 4);
    GangDraft high = gang("high").of(1, 4).priority(10);
    Scene scene = Scene.of("b/r: n1[....]", policies).arrives(low).arrives(high).silent();
    scene.after(Duration.ofSeconds(1));
    scene.then(new Event.VictimsRecorded(scene.now(), high.id()));
    scene.then(new Event.VictimTold(scene.now(), low.id()));
    scene.then(new Event.MemberGone(scene.now(), low.id(), low.member(0, "").id()));
    scene.then(new Event.MemberSeen(scene.now(), low.member(0, "again")));
    scene.after(policies.bindTimeout());
    MemberState runs = new MemberState.Bound(new NodeId("n1"), scene.now());
    scene.becomes(low.member(0, "again"), runs).after(Duration.ofMinutes(9));
    assertThat(stoppings(scene)).hasSize(1);
    scene.after(Duration.ofMinutes(2));
    assertThat(stoppings(scene)).hasSize(2);
  }

  private static List<Decision> stoppings(Scene scene) {
    return scene.decisions().stream().filter(Decision.Preempt.class::isInstance).toList();
  }
}
