package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.AnyVictimPolicy;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/// Preemptions come to an end even under the most permissive policy. Job controllers recreate every
/// victim at once, and still no chain of preemptions returns to its first state.
class NoThrashTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int PATIENCE = 60;

  /// A pod with a long grace period, or an unserved finalizer, counts as leaving.
  @Example
  void no_gang_is_preempted_repeatedly_for_a_pod_that_does_not_leave() {
    Policies policies = Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    Scene scene =
        Scene.of("b/r: n1[........]", policies)
            .arrives(gang("stuck").of(1, 4).priority(10))
            .arrives(gang("low").of(1, 4));
    Member slow = scene.gang("stuck").members().values().getFirst();
    scene.becomes(slow, new MemberState.Leaving(Optional.of(new NodeId("n1"))));
    scene.arrives(gang("high").of(1, 8).priority(10));

    for (int i = 0; i < 18; i++) {
      scene.after(Duration.ofSeconds(30));
      if (scene.gang("low").members().isEmpty()) { // its controller makes it again
        scene.then(new Event.MemberSeen(scene.now(), gang("low").of(1, 4).member(0, "again" + i)));
      }
    }

    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("low");
  }

  @Property(tries = 60)
  void preemptions_come_to_an_end(
      @ForAll @Size(min = 4, max = 10) List<@IntRange(min = 0, max = 95) Integer> wishes) {
    preemptionsEnd(List.of(Queue.of("ours").guaranteed(Quota.of(6)), Queue.of("theirs")), wishes);
  }

  @Property(tries = 60)
  void preemptions_come_to_an_end_whatever_queues_are_guaranteed(
      @ForAll @Size(min = 4, max = 10) List<@IntRange(min = 0, max = 95) Integer> wishes,
      @ForAll @IntRange(min = 0, max = 8) int ours,
      @ForAll @IntRange(min = 0, max = 8) int theirs,
      @ForAll @IntRange(min = 0, max = 8) int more) {
    Queue limited = Queue.of("ours").guaranteed(Quota.of(ours)).most(Quota.of(ours + more));
    preemptionsEnd(List.of(limited, Queue.of("theirs").guaranteed(Quota.of(theirs))), wishes);
  }

  private static void preemptionsEnd(List<Queue> limits, List<Integer> wishes) {
    Queues queues = Queues.of(limits);
    Policies policies =
        Policies.of(queues, Duration.ofMinutes(2), Optional.empty()).with(new AnyVictimPolicy());
    Scene scene = Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[....]", policies);
    List<GangDraft> drafts = new ArrayList<>();
    for (int wish : wishes) {
      GangDraft draft =
          gang("g" + drafts.size())
              .of(1 + wish % 3, 1 + wish / 3 % 4)
              .priority(wish / 12 % 4)
              .queue(wish / 48 == 0 ? "ours" : "theirs");
      drafts.add(draft);
      scene.arrives(draft).after(SECOND);
      made(scene, drafts, "early");
    }
    wait(scene, drafts, "first");
    long decided = preemptions(scene);
    wait(scene, drafts, "then");
    assertThat(preemptions(scene)).isEqualTo(decided);
    assertThat(scene.state().preemptions().underWay().isEmpty()).isTrue();
  }

  /// Seen where gangs of higher priority that borrow took what was vacated for one that does not.
  @Example
  void borrowers_and_guaranteed_gangs_do_not_alternate() {
    preemptions_come_to_an_end(List.of(93, 1, 46, 19, 21, 93, 62, 18, 1, 25));
  }

  /// A large gang stops a small one of its queue. Before that one waits again, a borrower of
  /// another queue took the freed GPUs, and the small gang took them back.
  @Example
  void borrower_takes_nothing_that_gangs_on_their_way_out_will_claim() {
    preemptions_come_to_an_end_whatever_queues_are_guaranteed(List.of(22, 94, 1, 2), 6, 2, 7);
  }

  /// This failed when every leaving pod caused a new decision about whether the preemptor borrows.
  @Example
  void preemptions_end_while_victims_leave_pod_by_pod() {
    preemptions_come_to_an_end(List.of(8, 32, 65, 7));
  }

  /// Seen where others were stopped for a gang that their claims held back once they waited.
  @Example
  void no_gang_is_preempted_for_one_blocked_by_guarantee_claims_of_its_victims() {
    preemptions_come_to_an_end(List.of(0, 4, 54, 2, 2, 76));
  }

  /// Seen where a claim counted that was made while the last of the victims still ran.
  @Example
  void guarantee_claims_made_during_eviction_do_not_block_the_preemptor() {
    preemptions_come_to_an_end(List.of(5, 5, 12, 48, 89));
  }

  /// Seen where a gang of another queue, of higher priority, took what gangs of a queue left for
  /// one that needs more than the guarantee of this queue.
  @Example
  void borrower_of_higher_priority_takes_nothing_that_a_queue_vacates_from_its_guarantee() {
    preemptions_come_to_an_end(List.of(17, 30, 6, 87, 4, 16, 86));
  }

  /// Seen where a gang borrowed between two pods of a victim that left, before the claim of the
  /// victim's queue appeared.
  @Example
  void no_gang_borrows_between_the_pods_of_a_victim() {
    preemptions_come_to_an_end_whatever_queues_are_guaranteed(
        List.of(3, 1, 55, 94, 17, 14), 5, 6, 7);
  }

  /// The controllers make the pods again that were evicted.
  private static void made(Scene scene, List<GangDraft> drafts, String suffix) {
    for (GangDraft draft : drafts) {
      TreeSet<Long> ranks = new TreeSet<>();
      for (Member member : scene.cluster().gang(draft.id()).members()) {
        ranks.add(member.rank());
      }
      for (Member member : draft.members()) {
        if (!ranks.contains(member.rank())) {
          Member again = draft.member((int) member.rank(), suffix);
          scene.then(new Event.MemberSeen(scene.now(), again));
        }
      }
    }
  }

  private static void wait(Scene scene, List<GangDraft> drafts, String suffix) {
    for (int second = 0; second < PATIENCE; second++) {
      made(scene.after(SECOND), drafts, suffix + second);
    }
  }

  private static long preemptions(Scene scene) {
    return scene.decisions().stream().filter(Decision.Preempt.class::isInstance).count();
  }
}
