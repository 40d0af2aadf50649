package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.decision.Decision;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Gangs that have their minimum grow when capacity allows.
class GrowthTest {
  private static final Policies BY_PRIORITY =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));

  @Test
  void no_gang_is_preempted_for_growth() {
    Scene scene =
        Scene.of("b/r: n1[....]", BY_PRIORITY)
            .arrives(gang("low").of(1, 3))
            .arrives(gang("elastic").of(4, 1).minCount(1).priority(10))
            .after(Duration.ofMinutes(5));
    assertThat(scene.nodesOf("low")).hasSize(1);
  }

  /// Returns the scene in which queue `a` may use 6 GPUs, and all pods exist before the first turn.
  private static Scene limited(GangDraft gang) {
    Queues queues = Queues.of(List.of(Queue.of("a").most(Quota.of(6))));
    Policies policies = Policies.of(queues, Duration.ofMinutes(2), Optional.empty());
    Scene scene = Scene.unsynced("b/r: n1[........] n2[........]", policies);
    return scene.arrives(gang.minCount(1).queue("a")).then(new Event.Synced(scene.now()));
  }

  @Test
  void gang_starts_at_once_with_all_members_that_its_queue_permits() {
    Scene scene = limited(gang("g").of(16, 1));
    assertThat(admitted(scene)).containsExactly(6);
  }

  @Test
  void gang_with_impossible_members_starts_with_all_others_that_its_queue_permits() {
    Scene scene = limited(gang("g").of(1, 9).of(16, 1));
    assertThat(admitted(scene)).containsExactly(6);
  }

  @Test
  void members_without_gpus_need_no_quota() {
    Scene scene = limited(gang("g").of(6, 1).of(4, 0));
    assertThat(admitted(scene)).containsExactly(10);
  }

  /// Returns the numbers of members that started together.
  private static List<Integer> admitted(Scene scene) {
    return scene.decisions().stream()
        .filter(Decision.Admit.class::isInstance)
        .map(decision -> ((Decision.Admit) decision).placement().assignments().size())
        .toList();
  }

  @Test
  void no_node_is_drained_for_growth() {
    Scene scene =
        Scene.of("b/r: n1[....]")
            .arrives(gang("other").of(3, 1).minCount(1))
            .arrives(gang("elastic").of(4, 1).minCount(1))
            .after(BackfillSettings.DEFAULT.drainAfter().plusSeconds(5));
    assertThat(scene.cluster().holds().values()).isEmpty();
  }

  @Test
  void growing_gangs_block_no_planned_start() {
    Policies one = Policies.DEFAULT.with(new BackfillSettings(1, Duration.ofSeconds(10)));
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", one)
            .arrives(gang("elastic").of(5, 2).minCount(1))
            .arrives(gang("big").of(2, 3).createdAt(Scene.START.plusSeconds(1)))
            .after(Duration.ofSeconds(40));
    assertThat(scene.cluster().holds().keys()).contains(gang("big").id());
  }

  @Test
  void grown_gang_gives_up_only_the_necessary_members() {
    Scene scene =
        Scene.of("b/r: n1[........]", BY_PRIORITY)
            .arrives(gang("elastic").of(8, 1).minCount(1))
            .arrives(gang("one").of(1, 1).priority(10))
            .after(Duration.ofSeconds(1));
    assertThat(scene.gang("elastic").boundCount()).isEqualTo(7);
  }

  @Test
  void members_above_the_maximum_claim_nothing() {
    Queues queues = Queues.of(List.of(Queue.of("a").guaranteed(Quota.of(8)), Queue.of("b")));
    Scene scene =
        Scene.of("b/r: n1[........]", Policies.of(queues, Duration.ofMinutes(2), Optional.empty()))
            .arrives(gang("elastic").of(8, 1).minCount(1).upTo(2).queue("a"))
            .arrives(gang("other").of(1, 6).queue("b"));
    assertThat(scene.nodesOf("other")).containsExactly("n1");
  }

  @Test
  void pods_may_state_the_maximum_of_their_gang() {
    GangDraft two = gang("two").of(4, 1).minCount(1).podsWish(running(2));
    assertThat(Scene.of("b/r: n1[....]").arrives(two).nodesOf("two")).hasSize(2);

    GangDraft fewerThanStart = gang("three").of(4, 1).minCount(3).podsWish(running(2));
    assertThat(Scene.of("b/r: n1[....]").arrives(fewerThanStart).nodesOf("three")).hasSize(3);

    GangDraft said = gang("one").of(4, 1).minCount(1).upTo(1).podsWish(running(2));
    assertThat(Scene.of("b/r: n1[....]").arrives(said).nodesOf("one")).hasSize(1);
  }

  private static GangConstraints running(int most) {
    return new GangConstraints(
        TopologyConstraint.NONE,
        GpuModelPreference.ANY,
        Optional.empty(),
        PreemptionPreference.UNSAID,
        Optional.of(most));
  }

  @Test
  void growth_limited_to_a_rack_reports_its_free_capacity() {
    Scene scene =
        Scene.of("b/r1: n1[....] n2[....]\nb/r2: m1[####] m2[....]")
            .arrives(gang("elastic").of(3, 4).minCount(2).within("rack"));
    assertThat(scene.nodesOf("elastic")).containsExactly("n1", "n2");
    assertThat(scene.whyNot("elastic")).contains(new Veto.NoDomainHolds("rack", "b/r1", 4, 0));
  }

  @Test
  void growth_limited_to_a_node_reports_its_free_capacity() {
    Scene scene =
        Scene.of("b/r1: n1[....] n2[....]")
            .arrives(gang("elastic").of(5, 1).minCount(2).within("node"));
    assertThat(scene.whyNot("elastic")).contains(new Veto.NoDomainHolds("node", "b/r1/n1", 1, 0));
  }

  /// A spare pod that kube-scheduler refuses whenever it is nominated.
  @Test
  void pod_that_never_starts_protects_no_other() {
    GangDraft elastic = gang("elastic").of(3, 1).minCount(1);
    Scene scene = Scene.of("b/r: n1[....]", BY_PRIORITY).silent().arrives(elastic);
    scene.then(new Event.ReservationWritten(scene.now(), elastic.id(), 1));
    for (int rank = 0; rank < 2; rank++) {
      scene.becomes(elastic.member(rank, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    }
    scene.arrives(gang("high").of(1, 4).priority(10));
    for (int times = 0; times < 60; times++) {
      scene.after(Duration.ofSeconds(5));
      scene
          .cluster()
          .reservations()
          .get(elastic.id())
          .ifPresent(held ->
              scene.then(new Event.ReservationWritten(scene.now(), elastic.id(), held.edition())));
      refuse(scene, elastic.member(2, ""));
    }
    assertThat(scene.decisions()).anyMatch(Decision.Preempt.class::isInstance);
  }

  /// Two nodes have room for the third pod, which takes neither.
  @Test
  void unused_promise_is_renewed_after_one_bind_timeout() {
    GangDraft elastic = gang("elastic").of(3, 1).minCount(1);
    Scene scene = Scene.of("b/r: n1[...] n2[.]").silent().arrives(elastic);
    for (int rank = 0; rank < 2; rank++) {
      scene.becomes(elastic.member(rank, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    }
    Duration time = Policies.DEFAULT.bindTimeout();
    scene.after(time.multipliedBy(2).plusSeconds(5));
    assertThat(scene.cluster().promise(elastic.member(2, ""))).isEmpty();
    scene.after(time);
    assertThat(scene.cluster().promise(elastic.member(2, ""))).isPresent();
  }

  @Test
  void finished_members_allow_more_members_below_the_maximum() {
    Scene scene = Scene.of("b/r: n1[........]").arrives(gang("job").of(4, 1).minCount(1).upTo(2));
    for (Member member : scene.gang("job").members()) {
      if (member.isBound()) {
        scene.becomes(member, new MemberState.Ended(true));
      }
    }
    scene.after(Duration.ofSeconds(15));
    assertThat(scene.nodesOf("job")).hasSize(2);
  }

  @Test
  void gang_with_its_minimum_finished_gives_up_only_the_necessary_members() {
    Scene scene =
        Scene.of("b/r: n1[......]", BY_PRIORITY).arrives(gang("low").of(3, 2).minCount(1));
    scene.becomes(scene.gang("low").members().values().getFirst(), new MemberState.Ended(true));
    scene
        .after(Duration.ofSeconds(15))
        .arrives(gang("high").of(1, 4).priority(10))
        .after(Duration.ofSeconds(5));
    assertThat(scene.nodesOf("high")).hasSize(1);
    assertThat(scene.gang("low").boundCount()).isEqualTo(1);
  }

  private static void refuse(Scene scene, Member pod) {
    Optional<Promise> promise = scene.cluster().promise(pod);
    if (promise.isPresent()) {
      scene.becomes(pod, new MemberState.Waiting(Optional.of(promise.get().node()), false));
      scene.becomes(pod, new MemberState.Waiting(Optional.empty(), true));
    }
  }
}
