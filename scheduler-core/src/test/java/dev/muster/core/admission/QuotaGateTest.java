package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.DrawnFloor;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Queues admit gangs within their maxima and guarantees.
class QuotaGateTest {
  private static final String H16_A8 = "b/r: n1:H100[........] n2:H100[........] n3:A100[........]";
  private static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);
  private static final GpuModelPreference A100 = new GpuModelPreference(List.of("A100"), false);

  @Test
  void without_configured_queues_every_name_is_valid() {
    DrawnFloor floor = DrawnFloor.of(H16_A8).arrives(gang("g").of(2, 8).queue("whatever"));
    assertThat(floor.starts("g")).isTrue();
  }

  @Test
  void with_configured_queues_only_those_exist() {
    DrawnFloor floor = DrawnFloor.of(H16_A8, Queue.of("a"), Queue.of("b"));
    floor.arrives(gang("g").of(1, 1).queue("c"));
    assertThat(floor.refusal("g")).contains(new Veto.UnknownQueue("c", List.of("a", "b")));
  }

  @Test
  void queue_admits_gangs_of_its_namespaces() {
    DrawnFloor floor =
        DrawnFloor.of(
            H16_A8, Queue.of("a").taking(List.of("nlp")), Queue.of("b").taking(List.of("ml")));
    floor.arrives(gang("g").of(1, 1).queue("a")).arrives(gang("h").of(1, 1).queue("b"));
    assertThat(floor.refusal("g")).contains(new Veto.QueueForbidden("a", "ml"));
    assertThat(floor.starts("h")).isTrue();
  }

  @Test
  void gang_beyond_the_maximum_never_starts() {
    DrawnFloor floor = DrawnFloor.of(H16_A8, Queue.of("a").most(Quota.of(12)));
    floor.arrives(gang("g").of(4, 4).queue("a"));
    assertThat(floor.refusal("g")).contains(new Veto.TooBigForQueue("a", "", 16, 12));
  }

  @Test
  void queue_at_its_maximum_waits_for_its_own_gangs() {
    DrawnFloor floor = DrawnFloor.of(H16_A8, Queue.of("a").most(Quota.of(12)));
    floor.arrives(gang("g").of(2, 4).queue("a")).arrives(gang("h").of(2, 4).queue("a"));
    assertThat(floor.starts("g")).isTrue();
    assertThat(floor.refusal("h")).contains(new Veto.OverQuota("a", "", 8, 8, 12));
    assertThat(floor.ends("g")).containsExactly("a");
    assertThat(floor.starts("h")).isTrue();
  }

  @Test
  void members_above_the_minimum_are_refused_beyond_the_maximum() {
    DrawnFloor floor = DrawnFloor.of(H16_A8, Queue.of("a").most(Quota.of(12)));
    floor.arrives(gang("g").of(4, 4).minCount(2).queue("a"));
    assertThat(floor.refusal("g")).isEmpty();
    assertThat(floor.startsWith("g", 4)).isFalse();
    assertThat(floor.startsWith("g", 3)).isTrue();
  }

  @Test
  void limit_of_one_model_does_not_block_a_gang_that_can_use_another() {
    DrawnFloor floor = DrawnFloor.of(H16_A8, Queue.of("a").most(Quota.NONE.with("H100", 8)));
    floor.arrives(gang("g").of(1, 8).on(H100).queue("a"));
    floor.arrives(gang("pinned").of(1, 8).on(H100).queue("a"));
    floor.arrives(gang("open").of(1, 8).queue("a"));
    assertThat(floor.starts("g")).isTrue();
    assertThat(floor.refusal("pinned")).contains(new Veto.OverQuota("a", "H100", 8, 8, 8));
    assertThat(floor.starts("open")).isTrue();
    assertThat(floor.modelsOf("open")).containsExactly("A100");
  }

  @Test
  void mix_does_not_exceed_the_limit_of_a_model() {
    DrawnFloor floor = DrawnFloor.of(H16_A8, Queue.of("a").most(Quota.NONE.with("H100", 4)));
    GpuModelPreference mix = new GpuModelPreference(List.of(), true);
    floor.arrives(gang("g").of(2, 4).on(mix).queue("a"));
    assertThat(floor.starts("g")).isTrue();
    assertThat(floor.modelsOf("g")).containsExactly("A100", "A100");
  }

  private static DrawnFloor lending() {
    return DrawnFloor.of(
        H16_A8, Queue.of("a").guaranteed(Quota.of(12)), Queue.of("b").guaranteed(Quota.of(4)));
  }

  @Test
  void capacity_of_terminating_own_pods_does_not_make_the_gang_too_big() {
    Scene scene = madeAnew(Queue.of("a").most(Quota.of(8)));

    assertThat(scene.whyNot("g")).containsInstanceOf(Veto.OverQuota.class);
  }

  @Test
  void capacity_of_terminating_own_pods_is_claimed_for_the_gang() {
    Scene scene = madeAnew(Queue.of("a").guaranteed(Quota.of(8)).most(Quota.of(8)));
    scene.arrives(gang("borrower").of(1, 4).queue("b"));
    scene.then(
        new Event.MemberGone(scene.now(), gang("g").id(), gang("g").of(2, 4).member(0, "").id()));

    assertThat(scene.after(Duration.ofSeconds(20)).nodesOf("borrower")).isEmpty();
  }

  /// Gang `g` fills its queue `a`; its pods are leaving, and others are there in their place.
  private static Scene madeAnew(Queue queue) {
    Policies policies =
        Policies.of(
            Queues.of(List.of(queue, Queue.of("b"))), Duration.ofMinutes(2), Optional.empty());
    GangDraft gang = gang("g").of(2, 4).queue("a");
    Scene scene = Scene.of("b/r: n1[........]", policies).arrives(gang);
    for (Member member : gang.members()) {
      scene.becomes(member, new MemberState.Leaving(Optional.of(new NodeId("n1"))));
    }
    for (int rank = 0; rank < 2; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), gang.member(rank, "-again")));
    }
    return scene;
  }

  @Test
  void guarantee_of_a_narrower_model_holds_against_claims_of_a_wider_one() {
    Queues queues =
        Queues.of(
            List.of(
                Queue.of("a").guaranteed(Quota.of(8).with("H100", 8)),
                Queue.of("b").guaranteed(Quota.of(4).with("H100-80GB", 4))));
    Policies policies = Policies.of(queues, Duration.ofMinutes(2), Optional.empty());
    GpuModelPreference h100 = new GpuModelPreference(List.of("H100"), false);
    Scene scene =
        Scene.of("b/r1: n1:H100-80GB[####....]\nb/r2: n2:H100-80GB[....]", policies)
            .arrives(gang("waits").of(2, 4).queue("a").on(h100).within("rack"));

    scene.arrives(gang("due").of(1, 4).queue("b").on(h100));

    assertThat(scene.nodesOf("due")).hasSize(1);
  }

  @Test
  void unclaimed_guarantee_is_lent() {
    DrawnFloor floor = lending().arrives(gang("b1").of(2, 8).queue("b"));
    assertThat(floor.starts("b1")).isTrue();
  }

  @Test
  void capacity_usable_by_a_waiting_gang_is_not_lent() {
    DrawnFloor floor = lending().arrives(gang("a1").of(1, 4).on(H100).queue("a"));
    assertThat(floor.starts("a1")).isTrue(); // 20 are free: 12 H100, 8 A100
    floor.arrives(gang("a2").of(2, 4).on(H100).queue("a")); // claims 12 - 4 = 8 H100
    floor.arrives(gang("b2").of(2, 4).queue("b"));
    floor.arrives(gang("b3").of(1, 5).on(H100).queue("b"));
    assertThat(floor.refusal("b3")).contains(new Veto.OverQuota("b", "H100", 5, 0, 4));
    assertThat(floor.starts("b2")).isTrue();
    assertThat(floor.modelsOf("b2")).containsExactly("A100", "A100");
  }

  @Test
  void vanished_guarantee_claim_wakes_borrowers() {
    DrawnFloor floor = lending().arrives(gang("a1").of(2, 6).queue("a"));
    floor.arrives(gang("b1").of(2, 8).queue("b"));
    assertThat(floor.refusal("b1")).contains(new Veto.OverQuota("b", "", 16, 0, 12));
    assertThat(floor.ends("a1")).containsExactly("b");
    assertThat(floor.starts("b1")).isTrue();
  }

  @Test
  void request_within_the_guarantee_is_never_refused() {
    DrawnFloor floor = lending().arrives(gang("b0").of(2, 6).queue("b"));
    assertThat(floor.starts("b0")).isTrue(); // borrows 8; 12 are free
    floor.arrives(gang("b1").of(1, 4).queue("b")).arrives(gang("a1").of(3, 4).queue("a"));
    assertThat(floor.refusal("b1")).contains(new Veto.OverQuota("b", "", 4, 12, 12));
    assertThat(floor.refusal("a1")).isEmpty();
  }

  @Test
  void guaranteed_model_is_kept_for_gangs_that_could_use_it() {
    DrawnFloor floor =
        DrawnFloor.of(H16_A8, Queue.of("a").guaranteed(Quota.NONE.with("H100", 16)), Queue.of("b"));
    floor.arrives(
        gang("a1").of(2, 8).on(new GpuModelPreference(List.of("A100"), false)).queue("a"));
    floor.arrives(gang("b1").of(1, 8).on(H100).queue("b"));
    assertThat(floor.refusal("b1")).isEmpty(); // a1 takes no H100
    floor.arrives(gang("a2").of(2, 8).queue("a"));
    assertThat(floor.refusal("b1")).contains(new Veto.OverQuota("b", "H100", 8, 0, 0));
    assertThat(floor.refusal("a2")).isEmpty();
  }

  @Test
  void one_of_two_gangs_beyond_their_guarantees_does_not_wait_for_the_other() {
    DrawnFloor floor = DrawnFloor.of(H16, eightEach(Quota.of(8)));
    floor.arrives(gang("a1").of(12, 1).queue("a")).arrives(gang("b1").of(12, 1).queue("b"));
    assertThat(floor.refusal("a1")).isEmpty();
    assertThat(floor.refusal("b1")).contains(new Veto.OverQuota("b", "H100", 12, 0, 8));
  }

  @Test
  void queue_with_less_goes_first_beyond_the_guarantees() {
    DrawnFloor floor =
        DrawnFloor.of(H16, eightEach(Quota.of(8))).arrives(gang("a0").of(1, 1).queue("a"));
    assertThat(floor.starts("a0")).isTrue();
    floor.arrives(gang("a1").of(12, 1).queue("a")).arrives(gang("b1").of(12, 1).queue("b"));
    assertThat(floor.refusal("a1")).contains(new Veto.OverQuota("a", "H100", 12, 1, 8));
    assertThat(floor.refusal("b1")).isEmpty();
  }

  @Test
  void guarantee_claim_within_a_guarantee_yields_to_no_other() {
    DrawnFloor floor = DrawnFloor.of(H16, eightEach(Quota.of(8)));
    floor.arrives(gang("a1").of(12, 1).queue("a")).arrives(gang("b1").of(8, 1).queue("b"));
    assertThat(floor.refusal("a1")).contains(new Veto.OverQuota("a", "H100", 12, 0, 8));
  }

  private static final String H16 = "b/r: n1:H100[........] n2:H100[........]";

  private static Queue[] eightEach(Quota quota) {
    return new Queue[] {Queue.of("a").guaranteed(quota), Queue.of("b").guaranteed(quota)};
  }

  @Test
  void without_guarantee_claims_the_quota_blocks_no_gang() {
    DrawnFloor floor = lending().arrives(gang("a1").of(1, 8).queue("a").on(A100));
    assertThat(floor.starts("a1")).isTrue();
    floor.arrives(gang("a2").of(1, 8).queue("a").on(A100)); // claims 4 A100 and no H100
    floor.arrives(gang("b1").of(3, 8).on(H100).queue("b"));
    assertThat(floor.refusal("b1")).isEmpty(); // 16 are free, which the search says
  }

  @Test
  void mix_may_use_unclaimed_models() {
    DrawnFloor floor =
        DrawnFloor.of(H16_A8, Queue.of("a").guaranteed(Quota.NONE.with("H100", 8)), Queue.of("b"));
    floor.arrives(gang("a1").of(1, 8).on(A100).queue("a")); // takes no H100
    floor.arrives(gang("b1").of(3, 8).on(new GpuModelPreference(List.of(), true)).queue("b"));
    assertThat(floor.starts("b1")).isTrue();
  }

  @Test
  void gathering_gangs_claim_nothing() {
    DrawnFloor floor = lending();
    GangDraft gathering = gang("a1").of(3, 4).queue("a");
    floor.then(new Event.GangSeen(floor.now(), gathering.spec()));
    floor.then(new Event.MemberSeen(floor.now(), gathering.member(0, "")));
    floor.arrives(gang("b1").of(2, 8).queue("b"));
    assertThat(floor.refusal("b1")).isEmpty();
  }

  @Test
  void gang_that_can_never_start_claims_nothing() {
    DrawnFloor floor = lending().arrives(gang("a1").of(1, 12).queue("a"));
    floor.arrives(gang("b1").of(2, 8).queue("b"));
    assertThat(floor.refusal("b1")).isPresent();
    assertThat(floor.hopeless("a1", true)).containsExactly("b");
    assertThat(floor.refusal("b1")).isEmpty();
    floor.hopeless("a1", false);
    assertThat(floor.refusal("b1")).isPresent();
    floor.hopeless("a1", true);
    floor.ends("a1");
    assertThat(floor.cluster().ledger().gangUsages().contains(gang("a1").id())).isFalse();
  }

  @Test
  void borrower_does_not_take_a_claim_while_victims_leave_for_another_gang() {
    DrawnFloor floor =
        DrawnFloor.of(
            "b/r: n1[....] n2[.] n3[.]",
            Queue.of("a"),
            Queue.of("b"),
            Queue.of("c").guaranteed(Quota.of(2)));
    floor.arrives(gang("victim").of(1, 4).queue("a"));
    assertThat(floor.starts("victim")).isTrue();
    floor.arrives(gang("claimant").of(1, 2).queue("c"));
    floor.arrives(gang("preemptor").of(1, 4).queue("a")).arrives(gang("g").of(1, 1).queue("b"));
    assertThat(floor.refusal("g")).isPresent();
    assertThat(floor.vacates("preemptor", "n1", 4, "victim").refusal("g")).isPresent();
  }

  @Test
  void borrower_may_take_what_victims_leave_over() {
    DrawnFloor floor =
        DrawnFloor.of(
            "b/r: n1[....] n2[.] n3[.]",
            Queue.of("a"),
            Queue.of("b"),
            Queue.of("c").guaranteed(Quota.of(2)));
    floor.arrives(gang("victim").of(1, 4).queue("a"));
    assertThat(floor.starts("victim")).isTrue();
    floor.arrives(gang("claimant").of(1, 2).queue("c"));
    floor.arrives(gang("preemptor").of(1, 3).queue("a")).arrives(gang("g").of(1, 1).queue("b"));
    assertThat(floor.vacates("preemptor", "n1", 3, "victim").refusal("g")).isEmpty();
  }

  @Test
  void queue_of_a_victim_claims_its_guarantee_before_the_victim_has_left() {
    DrawnFloor floor =
        DrawnFloor.of(
            "b/r: n1[....] n2[.]",
            Queue.of("a"),
            Queue.of("b"),
            Queue.of("c").guaranteed(Quota.of(4)));
    floor.arrives(gang("victim").of(1, 4).queue("c"));
    assertThat(floor.starts("victim")).isTrue();
    floor.arrives(gang("next").of(1, 4).queue("c")).arrives(gang("g").of(1, 1).queue("b"));
    floor.arrives(gang("preemptor").of(1, 2).queue("a"));
    assertThat(floor.refusal("g")).isEmpty();
    assertThat(floor.vacates("preemptor", "n1", 2, "victim").refusal("g")).isPresent();
  }

  @Test
  void gpus_vacated_for_a_gang_use_the_guarantee_of_its_queue() {
    DrawnFloor floor =
        DrawnFloor.of(
            "b/r: n1[........]",
            Queue.of("a").guaranteed(Quota.of(4)),
            Queue.of("c").guaranteed(Quota.of(4)));
    floor.arrives(gang("claimant").of(1, 4).queue("c"));
    floor.arrives(gang("preemptor").of(1, 4).queue("a")).arrives(gang("g").of(1, 4).queue("a"));
    assertThat(floor.refusal("g")).isEmpty();
    floor.vacates("preemptor", "n1", 4);
    assertThat(floor.refusal("g")).isPresent();
    assertThat(floor.refusal("preemptor")).isEmpty();
  }
}
