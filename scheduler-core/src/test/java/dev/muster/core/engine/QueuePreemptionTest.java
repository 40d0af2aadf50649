package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.AnyVictimPolicy;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Victims that quotas and guarantees of queues decide.
class QueuePreemptionTest extends PreemptionScenes {
  private static final PreemptionPolicy PRIORITY = new PriorityPreemptionPolicy(Mode.ENFORCE);
  private static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);

  private static Policies queues(PreemptionPolicy policy, Queue... queues) {
    return Policies.of(Queues.of(List.of(queues)), Duration.ofMinutes(2), Optional.empty())
        .with(policy);
  }

  private static Queue a() {
    return Queue.of("a");
  }

  private static Queue b() {
    return Queue.of("b");
  }

  // ---- Maximum ----

  /// The queue is full and the node has free GPUs.
  private static Scene full(Queue queue) {
    return Scene.of("b/r: n1:H100[........]", queues(PRIORITY, queue))
        .arrives(gang("low").of(1, 4).queue("a").priority(1).on(H100))
        .arrives(gang("urgent").of(1, 4).queue("a").priority(1000).on(H100))
        .after(SECOND);
  }

  @Test
  void gang_of_a_full_queue_leaves_for_a_higher_one_of_the_queue() {
    assertThat(full(a().most(Quota.of(4))).nodesOf("urgent")).containsExactly("n1");
  }

  @Test
  void gang_leaves_for_a_higher_one_when_the_limit_of_its_model_is_reached() {
    Scene scene = full(a().most(Quota.NONE.with("H100", 4)));
    assertThat(scene.nodesOf("urgent")).containsExactly("n1");
  }

  @Test
  void gang_leaves_for_a_higher_one_when_the_maximum_is_the_guarantee() {
    Scene scene = full(a().guaranteed(Quota.of(4)).most(Quota.of(4)));
    assertThat(scene.nodesOf("urgent")).containsExactly("n1");
  }

  @Test
  void gang_of_equal_priority_keeps_its_full_queue() {
    Scene scene =
        Scene.of("b/r: n1[........]", queues(new AnyVictimPolicy(), a().most(Quota.of(4))))
            .arrives(gang("first").of(1, 4).queue("a").priority(5))
            .arrives(gang("second").of(1, 4).queue("a").priority(5))
            .after(SECOND);
    assertThat(victims(scene)).isEmpty();
  }

  @Test
  void spare_members_that_fill_the_queue_leave_first() {
    Scene scene =
        Scene.of("b/r: n1[........]", queues(PRIORITY, a().most(Quota.of(4))))
            .arrives(gang("elastic").of(3, 1).minCount(1).queue("a").priority(5))
            .arrives(gang("low").of(1, 1).queue("a").priority(1))
            .arrives(gang("urgent").of(1, 2).queue("a").priority(1000))
            .after(SECOND);
    assertThat(scene.nodesOf("urgent")).containsExactly("n1");
    assertThat(scene.gang("elastic").boundCount()).isEqualTo(1);
    assertThat(scene.nodesOf("low")).hasSize(1);
  }

  @Test
  void only_as_many_spare_members_leave_as_the_queue_needs() {
    Scene scene =
        Scene.of("b/r: n1[........]", queues(PRIORITY, a().most(Quota.of(4))))
            .arrives(gang("elastic").of(4, 1).minCount(1).queue("a"))
            .arrives(gang("urgent").of(1, 1).queue("a").priority(1000))
            .after(SECOND);
    assertThat(scene.gang("elastic").boundCount()).isEqualTo(3);
  }

  @Test
  void gang_of_another_queue_does_not_leave_for_a_full_queue() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....]", queues(PRIORITY, a().most(Quota.of(4)), b()))
            .arrives(gang("low").of(1, 4).queue("a").priority(5))
            .arrives(gang("other").of(1, 4).queue("b").priority(1))
            .arrives(gang("urgent").of(1, 4).queue("a").priority(1000))
            .after(SECOND);
    assertThat(victims(scene)).containsExactly("low");
    assertThat(scene.nodesOf("urgent")).hasSize(1);
  }

  @Test
  void victims_free_both_quota_and_capacity() {
    Scene scene =
        Scene.of("b/r: n1[##..] n2[....]", queues(PRIORITY, a().most(Quota.of(4)), b()))
            .arrives(gang("low").of(1, 2).queue("a"))
            .arrives(gang("other").of(1, 4).queue("b"))
            .arrives(gang("urgent").of(1, 4).queue("a").priority(1000))
            .after(SECOND);
    assertThat(victims(scene)).containsExactlyInAnyOrder("low", "other");
    assertThat(scene.nodesOf("urgent")).containsExactly("n2");
  }

  @Test
  void gang_that_frees_too_little_quota_stays() {
    Scene scene =
        Scene.of("b/r: n1[........]", queues(PRIORITY, a().most(Quota.of(4))))
            .arrives(gang("high").of(1, 3).queue("a").priority(1000))
            .arrives(gang("low").of(1, 1).queue("a"))
            .arrives(gang("next").of(1, 2).queue("a").priority(10))
            .after(SECOND);
    assertThat(victims(scene)).isEmpty();
  }

  /// Else the new pods of the victim would take the quota, one by one.
  @Test
  void quota_that_victims_leave_is_not_taken_by_their_new_pods() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", queues(PRIORITY, a().most(Quota.of(4))))
            .arrives(gang("low").of(2, 2).queue("a"))
            .arrives(gang("urgent").of(2, 2).queue("a").priority(10));
    scene.silent().after(SECOND);
    scene.then(new Event.VictimsRecorded(scene.now(), gang("urgent").id()));
    scene.then(new Event.VictimTold(scene.now(), gang("low").id()));
    for (Member member : scene.gang("low").members().values()) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
      Member again = gang("low").of(2, 2).queue("a").member((int) member.rank(), "again");
      scene.then(new Event.MemberSeen(scene.now(), again));
    }
    assertThat(scene.cluster().reservations().keys()).containsExactly(gang("urgent").id());
  }

  @Test
  void gangs_wait_no_longer_for_quota_kept_for_a_withdrawn_preemptor() {
    Scene scene =
        Scene.of("b/r: n1[........]", queues(telling(), a().most(Quota.of(4))))
            .arrives(gang("low").of(1, 2).queue("a"))
            .arrives(gang("urgent").of(1, 4).queue("a").priority(10))
            .after(SECOND)
            .arrives(gang("small").of(1, 2).queue("a"));
    assertThat(scene.nodesOf("small")).isEmpty();
    for (Member member : scene.gang("urgent").members().values()) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    scene.after(SECOND);
    assertThat(scene.nodesOf("small")).hasSize(1);
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  /// The queue uses 3 + 4 of 8 GPUs, and 4 of them leave for the preemptor.
  @Test
  void gpus_that_leave_for_a_preemptor_count_once() {
    GangDraft mates = gang("mates").of(4, 1).queue("a").priority(10);
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", queues(telling(), a().most(Quota.of(8))))
            .arrives(mates)
            .arrives(gang("low").of(1, 4).queue("a"))
            .arrives(gang("urgent").of(1, 4).queue("a").priority(10))
            .after(SECOND);
    scene.then(new Event.MemberGone(scene.now(), mates.id(), mates.member(3, "").id()));
    scene.then(new Event.MemberSeen(scene.now(), mates.member(3, "again")));
    assertThat(scene.nodesOf("low")).as("it was told to leave").hasSize(1);
    assertThat(scene.cluster().holds().keys()).contains(gang("urgent").id());
    assertThat(scene.nodesOf("mates")).hasSize(4);
  }

  private static PreemptionPolicy telling() {
    return telling(Duration.ofMinutes(2)).preemption();
  }

  // ---- Guarantees ----

  @Test
  void small_guarantee_protects_no_lower_gang_of_its_queue() {
    Scene scene =
        Scene.of("b/r: n1[....]", queues(PRIORITY, a().guaranteed(Quota.of(2)), b()))
            .arrives(gang("low1").of(1, 2).queue("a").priority(1))
            .arrives(gang("low2").of(1, 2).queue("a").priority(1))
            .arrives(gang("urgent").of(1, 4).queue("a").priority(1000))
            .after(SECOND);
    assertThat(scene.nodesOf("urgent")).containsExactly("n1");
  }

  @Test
  void lender_keeps_its_guarantee_where_other_victims_suffice() {
    Scene scene =
        Scene.of("b/r: n1[........]", lending())
            .arrives(gang("b1").of(1, 1).queue("b"))
            .arrives(gang("b2").of(1, 1).queue("b"))
            .arrives(gang("b4").of(1, 4).queue("b"))
            .arrives(gang("due").of(1, 4).queue("a"))
            .after(SECOND);
    assertThat(victims(scene)).containsExactlyInAnyOrder("b1", "b2");
  }

  @Test
  void lender_falls_below_its_guarantee_where_nothing_else_suffices() {
    Scene scene =
        Scene.of("b/r: n1[........]", lending())
            .arrives(gang("six").of(1, 6).queue("b"))
            .arrives(gang("due").of(1, 4).queue("a"))
            .after(SECOND);
    assertThat(victims(scene)).containsExactly("six");
  }

  @Test
  void queue_within_its_guarantee_gives_back_nothing() {
    Scene scene =
        Scene.of("b/r: n1[....##]", lending())
            .arrives(gang("four").of(1, 4).queue("b"))
            .arrives(gang("due").of(1, 4).queue("a").priority(1000))
            .after(SECOND);
    assertThat(victims(scene)).isEmpty();
  }

  @Test
  void queue_that_uses_its_guarantee_reclaims_no_more() {
    Scene scene =
        Scene.of("b/r: n1[............]", lending())
            .arrives(gang("lent").of(1, 8).queue("b"))
            .arrives(gang("mine").of(1, 4).queue("a"))
            .arrives(gang("older").of(1, 4).queue("a").createdAt(Scene.START.minusSeconds(60)))
            .after(SECOND);
    assertThat(victims(scene)).isEmpty();
  }

  @Test
  void two_gangs_reclaim_no_more_than_the_guarantee_together() {
    Scene scene =
        Scene.of("b/r: n1[........]", lending())
            .arrives(gang("l1").of(1, 4).queue("b"))
            .arrives(gang("l2").of(1, 2).queue("b"))
            .arrives(gang("l3").of(1, 2).queue("b"))
            .arrives(gang("due").of(1, 3).queue("a"))
            .arrives(gang("more").of(1, 2).queue("a"))
            .silent()
            .after(Duration.ofSeconds(20));
    assertThat(scene.state().preemptions().underWay().keys()).containsExactly(gang("due").id());
  }

  private static Policies lending() {
    return queues(new AnyVictimPolicy(), a().guaranteed(Quota.of(4)), b().guaranteed(Quota.of(4)));
  }

  @Test
  void queue_gets_the_rest_of_its_guarantee_with_what_its_lower_gangs_use() {
    Scene scene =
        Scene.of("b/r: n1[....]", queues(new AnyVictimPolicy(), a().guaranteed(Quota.of(4)), b()))
            .arrives(gang("low").of(1, 2).queue("a"))
            .arrives(gang("lent").of(1, 2).queue("b").priority(1000))
            .arrives(gang("urgent").of(1, 4).queue("a").priority(10))
            .after(SECOND);
    assertThat(victims(scene)).containsExactlyInAnyOrder("low", "lent");
    assertThat(scene.nodesOf("urgent")).containsExactly("n1");
  }

  // ---- Growth ----

  private static Scene growing(Queue queue) {
    return Scene.of("b/r: n1[....]", queues(new AnyVictimPolicy(), queue, b()))
        .arrives(gang("lent").of(3, 1).minCount(3).queue("b").priority(1000))
        .arrives(gang("elastic").of(4, 1).minCount(1).queue("a"))
        .after(Duration.ofSeconds(5));
  }

  @Test
  void growing_gang_reclaims_the_guarantee_of_its_queue() {
    assertThat(growing(a().guaranteed(Quota.of(4))).nodesOf("elastic")).hasSize(4);
  }

  @Test
  void growing_gang_reclaims_nothing_beyond_the_guarantee_of_its_queue() {
    Scene scene = growing(a().guaranteed(Quota.of(1)));
    assertThat(scene.nodesOf("elastic")).hasSize(1);
    assertThat(scene.nodesOf("lent")).hasSize(3);
  }

  @Test
  void growing_gang_takes_only_what_is_needed() {
    Scene scene =
        Scene.of("b/r: n1[......]", queues(new AnyVictimPolicy(), a().guaranteed(Quota.of(3)), b()))
            .arrives(gang("lent1").of(1, 2).queue("b"))
            .arrives(gang("lent2").of(1, 3).queue("b"))
            .arrives(gang("elastic").of(4, 1).minCount(1).queue("a"))
            .after(Duration.ofSeconds(5));
    assertThat(victims(scene)).containsExactly("lent1");
    assertThat(scene.nodesOf("elastic")).hasSize(3);
  }

  @Test
  void no_gang_of_its_own_queue_leaves_for_a_growing_gang() {
    Scene scene =
        Scene.of("b/r: n1[....]", queues(PRIORITY, a().guaranteed(Quota.of(4)), b()))
            .arrives(gang("low").of(1, 3).queue("a"))
            .arrives(gang("elastic").of(4, 1).minCount(1).queue("a").priority(10))
            .after(Duration.ofSeconds(5));
    assertThat(victims(scene)).isEmpty();
  }

  // ---- Spare members ----

  @Test
  void spare_members_of_the_lower_gang_leave_first() {
    for (List<String> names :
        List.of(List.of("mid", "low"), List.of("x", "a"), List.of("a", "x"))) {
      Scene scene =
          Scene.of("b/r: n1[....]", BY_PRIORITY)
              .arrives(gang(names.getFirst()).of(2, 1).minCount(1).priority(500))
              .arrives(gang(names.getLast()).of(2, 1).minCount(1).priority(1))
              .arrives(gang("high").of(1, 1).priority(1000))
              .after(SECOND);
      assertThat(victims(scene)).as("%s", names).containsExactly(names.getLast());
    }
  }
}
