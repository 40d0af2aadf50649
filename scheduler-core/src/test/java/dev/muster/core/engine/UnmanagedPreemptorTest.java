package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.preempt.UnmanagedPreemptor;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// kube-scheduler may preempt only permitted gangs for an unmanaged pod.
class UnmanagedPreemptorTest {
  /// By priority, with everything else that a policy may ask.
  private record Asking(
      Mode mode, PreemptionLimits limits, Duration least, Duration notice, boolean overBudgets)
      implements PreemptionPolicy {
    static final Asking NOTHING =
        new Asking(Mode.ENFORCE, PreemptionLimits.NONE, Duration.ZERO, Duration.ZERO);

    Asking(Mode mode, PreemptionLimits limits, Duration least, Duration notice) {
      this(mode, limits, least, notice, false);
    }

    @Override
    public String revision() {
      return "r1";
    }

    @Override
    public List<CostTerm> terms() {
      return PreemptionPolicy.OFF.terms();
    }

    @Override
    public Optional<Duration> delay(GangProfile preemptor) {
      return Optional.of(least);
    }

    @Override
    public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
      return PreemptionPolicy.OFF.verdict(preemptor, victim, now)
              instanceof PolicyVerdict.Allowed allowed
          ? new PolicyVerdict.Allowed(
              allowed.rule(), allowed.price(), notice, Optional.empty(), overBudgets)
          : PreemptionPolicy.OFF.verdict(preemptor, victim, now);
    }
  }

  private final Scene scene =
      Scene.of("b/r: n1[....] n2[....]")
          .arrives(gang("lone").of(1, 1))
          .arrives(gang("pair").of(2, 1))
          .arrives(gang("elastic").of(3, 1).minCount(1));

  /// A pod of this priority that has waited for a minute.
  private static GangProfile pod(int priority) {
    return pod("web", priority);
  }

  private static GangProfile pod(String namespace, int priority) {
    return GangProfile.ofUnmanaged(
        new GangId(namespace, GangId.Origin.POD, "shop"),
        priority,
        new TreeMap<>(),
        0,
        Duration.ofMinutes(1));
  }

  private boolean mayStop(PreemptionPolicy policy, Member... pods) {
    return new UnmanagedPreemptor(scene.state(), Policies.DEFAULT.with(policy), pod(10))
        .mayStop(List.of(pods), false);
  }

  private Member member(String gang, int rank) {
    GangDraft draft = gang(gang).of(4, 1);
    return scene
        .cluster()
        .gang(draft.id())
        .members()
        .get(draft.member(rank, "").id())
        .orElseThrow();
  }

  @Test
  void lone_pod_of_lower_priority_may_be_preempted() {
    assertThat(mayStop(Asking.NOTHING, member("lone", 0))).isTrue();
  }

  @Test
  void gang_of_equal_priority_may_not_be_preempted() {
    UnmanagedPreemptor equal =
        new UnmanagedPreemptor(scene.state(), Policies.DEFAULT.with(Asking.NOTHING), pod(0));
    assertThat(equal.mayStop(List.of(member("lone", 0)), false)).isFalse();
  }

  @Test
  void gang_may_be_preempted_only_whole() {
    assertThat(mayStop(Asking.NOTHING, member("pair", 0))).isFalse();
    assertThat(mayStop(Asking.NOTHING, member("pair", 1))).isFalse();
    assertThat(mayStop(Asking.NOTHING, member("pair", 0), member("pair", 1))).isTrue();
  }

  @Test
  void spare_members_of_an_elastic_gang_may_be_preempted_alone() {
    assertThat(mayStop(Asking.NOTHING, member("elastic", 2))).isTrue();
    assertThat(mayStop(Asking.NOTHING, member("elastic", 1), member("elastic", 2))).isTrue();
    assertThat(mayStop(Asking.NOTHING, member("elastic", 0))).isFalse();
    assertThat(mayStop(Asking.NOTHING, member("elastic", 0), member("elastic", 2))).isFalse();
  }

  @Test
  void one_spared_pod_spares_all_victims_on_the_node() {
    assertThat(mayStop(Asking.NOTHING, member("lone", 0), member("pair", 0))).isFalse();
  }

  @Test
  void terminating_pods_may_be_preempted() {
    Member leaving = member("pair", 0).as(new MemberState.Leaving(member("pair", 0).node()));
    assertThat(mayStop(PreemptionPolicy.OFF, leaving)).isTrue();
  }

  @Test
  void no_gang_may_be_preempted_unless_the_policy_is_enforced() {
    assertThat(mayStop(new PriorityPreemptionPolicy(Mode.OFF), member("lone", 0))).isFalse();
    assertThat(mayStop(new PriorityPreemptionPolicy(Mode.SHADOW), member("lone", 0))).isFalse();
    assertThat(mayStop(new PriorityPreemptionPolicy(Mode.ENFORCE), member("lone", 0))).isTrue();
  }

  @Test
  void policy_that_is_not_enforced_is_not_asked() {
    assertThat(asks(new PriorityPreemptionPolicy(Mode.SHADOW))).isFalse();
    assertThat(asks(new PriorityPreemptionPolicy(Mode.ENFORCE))).isTrue();
  }

  private boolean asks(PreemptionPolicy policy) {
    return new UnmanagedPreemptor(scene.state(), Policies.DEFAULT.with(policy), pod(10)).asks();
  }

  @Test
  void gang_may_not_be_preempted_against_its_disruption_budget() {
    UnmanagedPreemptor outsider =
        new UnmanagedPreemptor(scene.state(), Policies.DEFAULT.with(Asking.NOTHING), pod(10));
    assertThat(outsider.mayStop(List.of(member("lone", 0)), true)).isFalse();
  }

  @Test
  void policy_may_override_the_disruption_budget() {
    Asking over =
        new Asking(Mode.ENFORCE, PreemptionLimits.NONE, Duration.ZERO, Duration.ZERO, true);
    UnmanagedPreemptor outsider =
        new UnmanagedPreemptor(scene.state(), Policies.DEFAULT.with(over), pod(10));
    assertThat(outsider.mayStop(List.of(member("lone", 0)), true)).isTrue();
  }

  @Test
  void gang_with_a_notice_period_may_not_be_preempted() {
    Duration notice = Duration.ofSeconds(30);
    assertThat(
            mayStop(
                new Asking(Mode.ENFORCE, PreemptionLimits.NONE, Duration.ZERO, notice),
                member("lone", 0)))
        .isFalse();
  }

  @Test
  void no_gang_may_be_preempted_before_the_pod_has_waited_long_enough() {
    Duration minute = Duration.ofMinutes(1);
    Asking patient = new Asking(Mode.ENFORCE, PreemptionLimits.NONE, minute, Duration.ZERO);
    Asking morePatient =
        new Asking(Mode.ENFORCE, PreemptionLimits.NONE, minute.plusSeconds(1), Duration.ZERO);
    assertThat(mayStop(patient, member("lone", 0))).isTrue();
    assertThat(mayStop(morePatient, member("lone", 0))).isFalse();
  }

  @Test
  void preemption_limits_hold_on_a_node() {
    PreemptionLimits one = new PreemptionLimits(1, 1, 1, Duration.ofMinutes(1));
    Asking limited = new Asking(Mode.ENFORCE, one, Duration.ZERO, Duration.ZERO);
    assertThat(mayStop(limited, member("lone", 0))).isTrue();
    assertThat(mayStop(limited, member("lone", 0), member("elastic", 2))).isFalse();
    PreemptionLimits noneThisHour = new PreemptionLimits(1, 1, 0, Duration.ofMinutes(1));
    assertThat(
            mayStop(
                new Asking(Mode.ENFORCE, noneThisHour, Duration.ZERO, Duration.ZERO),
                member("lone", 0)))
        .isFalse();
  }

  // ---- Queues ----

  /// True if a pod of priority 10 may preempt the gang, where the queue `a` has this guarantee.
  private static boolean mayStop(String namespace, int guarantee, GangDraft gang) {
    Queues queues =
        Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(guarantee)), Queue.of("b")));
    Policies policies =
        Policies.of(queues, Duration.ofMinutes(2), Optional.empty()).with(Asking.NOTHING);
    Scene scene = Scene.of("b/r: n1[....]", policies).arrives(gang);
    return new UnmanagedPreemptor(scene.state(), policies, pod(namespace, 10))
        .mayStop(scene.gang("g").bound(), false);
  }

  @Test
  void namespace_named_like_a_queue_gives_no_right_over_its_guarantee() {
    assertThat(mayStop("a", 2, gang("g").of(2, 1).queue("a"))).isFalse();
  }

  @Test
  void gang_beyond_the_guarantee_of_its_queue_may_be_preempted() {
    assertThat(mayStop("a", 0, gang("g").of(2, 1).queue("a"))).isTrue();
  }

  @Property(tries = 200)
  void name_of_the_namespace_never_matters(
      @ForAll @IntRange(max = 4) int guarantee,
      @ForAll @IntRange(min = 1, max = 4) int members,
      @ForAll @IntRange(max = 10) int priority,
      @ForAll boolean inA) {
    GangDraft gang = gang("g").queue(inA ? "a" : "b").priority(priority).of(members, 1);
    assertThat(mayStop("a", guarantee, gang)).isEqualTo(mayStop("web", guarantee, gang));
    assertThat(mayStop("b", guarantee, gang)).isEqualTo(mayStop("web", guarantee, gang));
  }
}
