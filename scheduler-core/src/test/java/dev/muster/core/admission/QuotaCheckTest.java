package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.kit.DrawnFloor;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.QuotaShortage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Which limit is named, what a guarantee covers against claims, and what must leave.
class QuotaCheckTest {
  private static final String H16_A8 = "b/r: n1:H100[........] n2:H100[........] n3:A100[........]";
  private static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);
  private static final GpuModelPreference A100 = new GpuModelPreference(List.of("A100"), false);

  // ---- Which limit is named ----

  private static Queue limited(int h100, int a100) {
    return Queue.of("a").most(Quota.NONE.with("H100", h100).with("A100", a100));
  }

  @Test
  void limit_that_may_change_is_named_before_one_that_never_will() {
    Queue queue = limited(8, 4);
    DrawnFloor floor = started(queue, gang("first").of(1, 8).on(H100));
    GangDraft gang = gang("g").of(1, 8).queue("a");
    floor.arrives(gang);
    assertThat(gate(queue).limit(floor.cluster(), floor.cluster().gang(gang.id())))
        .contains(new Veto.OverQuota("a", "H100", 8, 8, 8));
  }

  @Test
  void limit_of_the_preferred_model_is_named() {
    DrawnFloor floor =
        started(limited(8, 8), gang("h").of(1, 8).on(H100), gang("a").of(1, 8).on(A100));
    GpuModelPreference either = new GpuModelPreference(List.of("H100", "A100"), false);
    floor.arrives(gang("g").of(1, 8).queue("a").on(either));
    assertThat(floor.refusal("g")).contains(new Veto.OverQuota("a", "H100", 8, 8, 8));
  }

  private static DrawnFloor started(Queue queue, GangDraft... gangs) {
    DrawnFloor floor = DrawnFloor.of(H16_A8, queue);
    for (GangDraft gang : gangs) {
      assertThat(floor.arrives(gang.queue("a")).starts(gang.id().name())).isTrue();
    }
    return floor;
  }

  private static QuotaGate gate(Queue... queues) {
    return new QuotaGate(Queues.of(List.of(queues)));
  }

  // ---- What a guarantee covers ----

  /// Of 16 H100, others use 8 and queue `a` claims 8, so what queue `b` takes must be its own.
  private static DrawnFloor claimed(Queue b) {
    DrawnFloor floor = DrawnFloor.of(H16_A8, claimer(), b, Queue.of("c"));
    assertThat(floor.arrives(gang("c").of(1, 8).on(H100).queue("c")).starts("c")).isTrue();
    return floor.arrives(gang("claims").of(2, 4).on(H100).queue("a"));
  }

  private static Queue claimer() {
    return Queue.of("a").guaranteed(Quota.NONE.with("H100", 8));
  }

  private static Queue b(String model, int gpus) {
    return Queue.of("b").guaranteed(Quota.NONE.with(model, gpus));
  }

  @Test
  void guarantee_of_a_model_covers_a_gang_against_claims_of_others() {
    DrawnFloor floor = claimed(b("H100", 4)).arrives(gang("g").of(1, 4).on(H100).queue("b"));
    assertThat(floor.refusal("g")).isEmpty();
  }

  @Test
  void guarantee_of_a_model_covers_no_more_than_it_has() {
    DrawnFloor floor = claimed(b("H100", 4)).arrives(gang("g").of(1, 5).on(H100).queue("b"));
    assertThat(floor.refusal("g")).contains(new Veto.OverQuota("b", "H100", 5, 0, 0));
  }

  @Test
  void gpus_in_use_count_for_the_guarantee_of_their_model() {
    DrawnFloor floor = claimed(b("H100", 4)).arrives(gang("first").of(1, 2).on(H100).queue("b"));
    assertThat(floor.starts("first")).isTrue();
    floor.arrives(gang("g").of(1, 3).on(H100).queue("b"));
    assertThat(floor.refusal("g")).contains(new Veto.OverQuota("b", "H100", 3, 2, 2));
  }

  @Test
  void guarantee_of_another_model_covers_nothing() {
    DrawnFloor floor = claimed(b("A100", 4)).arrives(gang("g").of(1, 4).on(H100).queue("b"));
    assertThat(floor.refusal("g")).contains(new Veto.OverQuota("b", "H100", 4, 0, 0));
  }

  @Test
  void running_gang_replaces_a_lost_member_whatever_others_claim() {
    Policies policies =
        Policies.of(
            Queues.of(List.of(claimer(), Queue.of("b"))), Duration.ofMinutes(2), Optional.empty());
    GangDraft runs = gang("runs").of(2, 4).queue("b");
    Scene scene =
        Scene.of("b/r: n1:H100[........]", policies)
            .arrives(runs)
            .arrives(gang("claims").of(2, 4).queue("a"));
    scene.then(new Event.MemberGone(scene.now(), runs.id(), runs.member(1, "").id()));
    scene.then(new Event.MemberSeen(scene.now(), runs.member(1, "-again")));
    assertThat(scene.nodesOf("runs")).hasSize(2);
  }

  // ---- What must leave ----

  private static List<QuotaShortage> shortages(Queue b, GangDraft gang) {
    DrawnFloor floor = claimed(b).arrives(gang);
    return gate(claimer(), b, Queue.of("c"))
        .shortages(floor.cluster(), floor.cluster().gang(gang.id()), List.of("H100"), 3)
        .orElseThrow();
  }

  @Test
  void borrower_is_short_of_what_others_claim() {
    assertThat(shortages(b("A100", 4), gang("g").of(1, 3).queue("b")))
        .containsExactly(new QuotaShortage(Optional.empty(), new TreeSet<>(List.of("H100")), 3));
  }

  @Test
  void gang_within_its_guarantee_is_short_of_nothing() {
    assertThat(shortages(b("H100", 3), gang("g").of(1, 3).queue("b"))).isEmpty();
  }
}
