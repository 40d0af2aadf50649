package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.GuaranteeUse.Leaving;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberId;
import dev.muster.core.kit.DrawnFloor;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.VictimCandidate;
import dev.muster.core.victims.VictimCost;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Guarantees are compared with the GPUs that queues use, and would use without some victims.
class GuaranteeUseTest {
  private static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);
  private static final GpuModelPreference A100 = new GpuModelPreference(List.of("A100"), false);
  private static final GpuModelPreference B200 = new GpuModelPreference(List.of("B200"), false);

  /// A cluster on which gangs of queue `a` run.
  private static final class Lender {
    private final List<Queue> queues;
    private final DrawnFloor floor;

    private Lender(Quota guaranteed) {
      queues = List.of(Queue.of("a").guaranteed(guaranteed), Queue.of("other"));
      floor =
          DrawnFloor.of(
              "b/r: n1:H100[........] n2:A100[........]", queues.toArray(new Queue[queues.size()]));
    }

    private Lender runs(GangDraft gang) {
      floor.arrives(gang.queue("a"));
      assertThat(floor.starts(gang.id().name())).isTrue();
      return this;
    }

    private Lender waits(GangDraft gang) {
      floor.arrives(gang);
      return this;
    }

    private GuaranteeUse use() {
      return new GuaranteeUse(Queues.of(queues), floor.cluster());
    }

    private boolean covers(GangDraft gang) {
      floor.arrives(gang.queue("a"));
      return use().covers(floor.cluster().gang(gang.id()), gpus(gang), Leaving.NONE);
    }

    private static int gpus(GangDraft gang) {
      return gang.members().stream().mapToInt(member -> member.request().gpus()).sum();
    }

    private boolean borrows(String gang) {
      return use().borrows(floor.cluster().gang(gang(gang).id()));
    }
  }

  /// Queue `a` has this guarantee.
  private static Lender guaranteed(Quota quota) {
    return new Lender(quota);
  }

  private static List<VictimCandidate> whole(GangDraft... gangs) {
    return List.of(gangs).stream()
        .map(gang -> leaving(gang, gang.members().size(), false))
        .toList();
  }

  private static List<VictimCandidate> spare(GangDraft gang, int members) {
    return List.of(leaving(gang, members, true));
  }

  private static VictimCandidate leaving(GangDraft gang, int members, boolean spare) {
    List<MemberId> pods = gang.members().stream().limit(members).map(pod -> pod.id()).toList();
    PolicyVerdict.Allowed ruling =
        new PolicyVerdict.Allowed("any", List.of(), Duration.ZERO, Optional.empty());
    GangProfile profile =
        GangProfile.ofUnmanaged(gang.id(), 0, new TreeMap<>(), members, Duration.ZERO);
    return new VictimCandidate(profile, pods, ruling, new VictimCost(List.of(), List.of()), spare);
  }

  // ---- Is a waiting gang within the guarantee? ----

  @Test
  void guarantee_covers_as_many_gpus_as_it_has() {
    assertThat(guaranteed(Quota.of(4)).covers(gang("g").of(1, 4))).isTrue();
    assertThat(guaranteed(Quota.of(4)).covers(gang("g").of(1, 5))).isFalse();
  }

  @Test
  void guarantee_of_one_model_covers_no_gang_on_another() {
    Quota h100 = Quota.NONE.with("H100", 4);
    assertThat(guaranteed(h100).covers(gang("g").of(1, 4).on(H100))).isTrue();
    assertThat(guaranteed(h100).covers(gang("g").of(1, 4).on(A100))).isFalse();
  }

  @Test
  void gang_that_may_get_several_models_needs_a_guarantee_of_each() {
    Quota one = Quota.NONE.with("H100", 4);
    assertThat(guaranteed(one).covers(gang("g").of(1, 4))).isFalse();
    assertThat(guaranteed(one.with("A100", 4)).covers(gang("g").of(1, 4))).isTrue();
  }

  @Test
  void guarantee_of_a_model_covers_what_the_overall_one_does_not() {
    Lender queue = guaranteed(Quota.of(4).with("H100", 4));
    queue.runs(gang("first").of(1, 4).on(A100));
    assertThat(queue.covers(gang("g").of(1, 4).on(H100))).isTrue();
  }

  @Test
  void overall_guarantee_that_is_used_up_covers_no_model() {
    Lender queue = guaranteed(Quota.of(4).with("H100", 4));
    queue.runs(gang("first").of(1, 4).on(H100));
    assertThat(queue.covers(gang("g").of(1, 4).on(A100))).isFalse();
  }

  @Test
  void no_guarantee_covers_a_model_that_no_node_has() {
    Lender queue = guaranteed(Quota.NONE.with("H100", 4));
    assertThat(queue.covers(gang("g").of(1, 4).on(B200))).isFalse();
  }

  // ---- Does a running gang borrow? ----

  @Test
  void queue_that_uses_just_its_guarantee_does_not_borrow() {
    assertThat(guaranteed(Quota.of(4)).runs(gang("g").of(1, 4)).borrows("g")).isFalse();
    assertThat(guaranteed(Quota.of(4)).runs(gang("g").of(1, 5)).borrows("g")).isTrue();
  }

  @Test
  void gang_borrows_whatever_is_guaranteed_of_models_that_it_does_not_use() {
    Lender queue = guaranteed(Quota.NONE.with("H100", 4));
    assertThat(queue.runs(gang("g").of(1, 2).on(A100)).borrows("g")).isTrue();
  }

  @Test
  void gang_within_the_guarantee_of_its_model_does_not_borrow() {
    Lender queue = guaranteed(Quota.of(1).with("H100", 4));
    assertThat(queue.runs(gang("g").of(1, 2).on(H100)).borrows("g")).isFalse();
  }

  // ---- How far do victims take queues below their guarantees? ----

  @Test
  void shortfall_counts_only_guaranteed_gpus() {
    GangDraft six = gang("six").of(1, 6);
    GuaranteeUse use = guaranteed(Quota.of(4)).runs(six).use();
    assertThat(use.shortfall(whole(six), "other")).isEqualTo(4);
  }

  @Test
  void preemptors_own_queue_falls_short_of_nothing() {
    GangDraft six = gang("six").of(1, 6);
    GuaranteeUse use = guaranteed(Quota.of(4)).runs(six).use();
    assertThat(use.shortfall(whole(six), "a")).isZero();
  }

  @Test
  void queue_lends_while_only_its_last_victim_takes_it_below() {
    GangDraft two = gang("two").of(1, 2);
    GangDraft four = gang("four").of(1, 4);
    assertThat(guaranteed(Quota.of(3)).runs(two).runs(four).use().lends(whole(four, two), "other"))
        .isTrue();
    assertThat(guaranteed(Quota.of(4)).runs(two).runs(four).use().lends(whole(four, two), "other"))
        .isFalse();
  }

  @Test
  void victims_on_other_models_take_nothing_of_the_guarantee_of_a_model() {
    GangDraft lent = gang("lent").of(1, 2).on(A100);
    GuaranteeUse use = guaranteed(Quota.NONE.with("H100", 4)).runs(lent).use();
    assertThat(use.lends(whole(lent), "other")).isTrue();
  }

  @Test
  void preemptors_own_queue_needs_to_lend_nothing() {
    GangDraft four = gang("four").of(1, 4);
    GuaranteeUse use = guaranteed(Quota.of(4)).runs(four).use();
    assertThat(use.lends(whole(four), "a")).isTrue();
    assertThat(use.lends(whole(four), "other")).isFalse();
  }

  // ---- Could their queue reclaim what the victims give? ----

  @Test
  void victim_that_fits_into_the_guarantee_would_reclaim_it() {
    GangDraft four = gang("four").of(1, 4);
    assertThat(guaranteed(Quota.of(4)).runs(four).use().areReclaimable(whole(four))).isTrue();
  }

  @Test
  void queue_that_keeps_its_guarantee_reclaims_nothing() {
    GangDraft lent = gang("lent").of(1, 4);
    Lender queue = guaranteed(Quota.of(4)).runs(gang("kept").of(1, 4)).runs(lent);
    assertThat(queue.use().areReclaimable(whole(lent))).isFalse();
  }

  @Test
  void victim_larger_than_the_guarantee_reclaims_nothing() {
    GangDraft five = gang("five").of(1, 5);
    Lender queue = guaranteed(Quota.of(4)).runs(five);
    queue.runs(gang("kept").of(1, 1)); // all its pods run, so it reclaims nothing either
    assertThat(queue.use().areReclaimable(whole(five))).isFalse();
  }

  @Test
  void waiting_gang_of_the_queue_reclaims_what_a_larger_victim_gives() {
    GangDraft five = gang("five").of(1, 5);
    Lender queue = guaranteed(Quota.of(4)).runs(five);
    queue.waits(gang("waits").of(2, 2).queue("a"));
    assertThat(queue.use().areReclaimable(whole(five))).isTrue();
  }

  @Test
  void waiting_gang_larger_than_the_guarantee_reclaims_nothing() {
    GangDraft five = gang("five").of(1, 5);
    Lender queue = guaranteed(Quota.of(4)).runs(five);
    queue.waits(gang("waits").of(2, 3).queue("a"));
    assertThat(queue.use().areReclaimable(whole(five))).isFalse();
  }

  @Test
  void waiting_gang_of_another_queue_reclaims_nothing() {
    GangDraft five = gang("five").of(1, 5);
    Lender queue = guaranteed(Quota.of(4)).runs(five);
    queue.waits(gang("waits").of(1, 1).queue("other"));
    assertThat(queue.use().areReclaimable(whole(five))).isFalse();
  }

  @Test
  void elastic_victim_needs_only_its_minimum_to_reclaim() {
    GangDraft elastic = gang("elastic").of(3, 2).minCount(2);
    assertThat(guaranteed(Quota.of(4)).runs(elastic).use().areReclaimable(whole(elastic))).isTrue();
    assertThat(guaranteed(Quota.of(3)).runs(elastic).use().areReclaimable(whole(elastic)))
        .isFalse();
  }

  @Test
  void spare_members_reclaim_one_by_one() {
    GangDraft elastic = gang("elastic").of(4, 2).minCount(2);
    Lender queue = guaranteed(Quota.of(5)).runs(elastic);
    assertThat(queue.use().areReclaimable(spare(elastic, 2))).isTrue();
    Lender less = guaranteed(Quota.of(1)).runs(elastic);
    assertThat(less.use().areReclaimable(spare(elastic, 4))).isFalse();
  }
}
