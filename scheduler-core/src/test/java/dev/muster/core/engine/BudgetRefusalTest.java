package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.preempt.PreemptionOutcome;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Disruption budgets block an eviction after the plan was made.
class BudgetRefusalTest {
  private static final Policies BY_PRIORITY =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
  private static final GangId HIGH = gang("high").id();

  /// Gang "high" needs the capacity of "a" and "b"; both are recorded and notified.
  private static Scene twoAreTold() {
    return twoAreTold(BY_PRIORITY);
  }

  private static Scene twoAreTold(Policies policies) {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....]", policies)
            .arrives(gang("a").of(1, 4))
            .arrives(gang("b").of(1, 4))
            .arrives(gang("dear").of(1, 4).priority(5))
            .arrives(gang("high").of(2, 4).priority(10));
    return told(scene, "a", "b");
  }

  private static Scene told(Scene scene, String... victims) {
    scene.silent().after(Duration.ofSeconds(1));
    scene.then(new Event.VictimsRecorded(scene.now(), HIGH));
    for (String victim : victims) {
      scene.then(new Event.VictimTold(scene.now(), gang(victim).id()));
    }
    return scene;
  }

  private static Scene leaves(Scene scene, String gang, int which) {
    Member member = scene.gang(gang).members().values().get(which);
    return scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
  }

  private static Scene refused(Scene scene, String gang) {
    Member member = scene.gang(gang).members().values().getLast();
    return scene.then(
        new Event.MemberNotEvicted(scene.now(), member.gang(), member.id(), true, "429"));
  }

  private static List<String> evicted(Scene scene) {
    return scene.asked().stream()
        .filter(Effect.Evict.class::isInstance)
        .map(effect -> effect.gang().name())
        .toList();
  }

  private static List<String> reprieved(Scene scene) {
    return scene.asked().stream()
        .filter(Effect.Reprieve.class::isInstance)
        .map(effect -> effect.gang().name())
        .toList();
  }

  @Test
  void victims_are_evicted_one_after_the_other() {
    Scene scene = twoAreTold();
    assertThat(evicted(scene)).containsExactly("a");
    leaves(scene, "a", 0);
    assertThat(evicted(scene)).containsExactly("a", "b");
  }

  @Test
  void others_stay_when_the_first_victim_cannot_be_evicted() {
    Scene scene = refused(twoAreTold(), "a");
    assertThat(evicted(scene)).containsExactly("a");
    assertThat(reprieved(scene)).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void another_victim_replaces_one_that_cannot_be_evicted() {
    Scene scene = refused(leaves(twoAreTold(), "a", 0), "b");
    scene.after(Duration.ofSeconds(2));
    assertThat(reprieved(scene)).containsExactly("b");
    Decision.Preempt again = (Decision.Preempt) scene.decisions().getLast();
    assertThat(again.victims()).extracting(victim -> victim.gang().name()).containsExactly("dear");
    assertThat(again.nodes()).extracting(node -> node.name()).contains("n1");
  }

  @Test
  void spared_gang_does_not_count_as_preempted() {
    Scene scene = refused(twoAreTold(), "a");
    assertThat(List.of("a", "b"))
        .allSatisfy(name -> assertThat(timesStopped(scene, name)).isEmpty());
  }

  @Test
  void partly_evicted_gang_counts_as_preempted() {
    Scene scene = halfGone().after(Duration.ofSeconds(30));
    assertThat(timesStopped(refused(scene, "low"), "low")).hasSize(1);
  }

  @Test
  void spared_gang_does_not_count_for_the_hourly_limit() {
    int any = Integer.MAX_VALUE;
    PreemptionLimits twoAnHour = new PreemptionLimits(any, any, 2, Duration.ofMinutes(1));
    Policies policies = Policies.DEFAULT.with(new SceneEvents(Duration.ZERO, twoAnHour));
    Scene scene = refused(leaves(twoAreTold(policies), "a", 0), "b");
    scene.after(Duration.ofSeconds(2));
    Decision.Preempt again = (Decision.Preempt) scene.decisions().getLast();
    assertThat(again.victims()).extracting(victim -> victim.gang().name()).containsExactly("dear");
  }

  private static List<Instant> timesStopped(Scene scene, String name) {
    return scene.state().preemptions().stopped(gang(name).id(), scene.cluster());
  }

  @Test
  void eviction_of_a_half_evicted_gang_is_retried_for_a_while() {
    Scene scene = halfGone();
    refused(scene, "low");
    scene.after(Duration.ofSeconds(6));
    assertThat(evicted(scene)).containsExactly("low", "low", "low");
    assertThat(scene.state().preemptions().underWay().isEmpty()).isFalse();
  }

  @Test
  void eviction_of_a_half_evicted_gang_is_abandoned_after_the_retries() {
    Scene scene = halfGone();
    scene.after(Duration.ofSeconds(30));
    int tried = evicted(scene).size();
    refused(scene, "low");
    scene.after(Duration.ofMinutes(2));
    assertThat(evicted(scene)).hasSize(tried);
    assertThat(reprieved(scene)).containsExactly("low");
    assertThat(scene.state().preemptions().underWay().isEmpty()).isTrue();
  }

  private static Scene halfGone() {
    Scene scene =
        Scene.of("b/r: n1[....]", BY_PRIORITY)
            .arrives(gang("low").of(2, 2))
            .arrives(gang("high").of(2, 2).priority(10));
    return leaves(told(scene, "low"), "low", 0);
  }

  @Test
  void preemption_outcome_ignores_refusals_long_past() {
    int any = Integer.MAX_VALUE;
    PreemptionLimits anHour = new PreemptionLimits(any, any, any, Duration.ofHours(1));
    Policies policies = Policies.DEFAULT.with(new SceneEvents(Duration.ZERO, anHour));
    Scene scene =
        Scene.of("b/r: n1[....]", policies)
            .arrives(gang("a").of(1, 4))
            .arrives(gang("high").of(1, 4).priority(10));
    refused(told(scene), "a").after(Duration.ofMinutes(11));
    assertThat(PreemptionOutcome.of(scene.state(), policies, HIGH))
        .isInstanceOf(PreemptionOutcome.Plan.class);
  }

  @Test
  void preemption_recorded_on_the_object_counts_once() {
    Scene scene =
        Scene.of("b/r: n1[....]", BY_PRIORITY)
            .arrives(gang("low").of(1, 4))
            .arrives(gang("high").of(1, 4).priority(10));
    scene.silent().after(Duration.ofSeconds(1));
    scene.then(new Event.VictimsRecorded(scene.now(), HIGH));
    Effect.TellVictim told = (Effect.TellVictim) scene.asked().getLast();
    PreemptionRecord said =
        new PreemptionRecord(
            SortedTable.empty(),
            told.notice().stopped(),
            Optional.of(new PreemptionRecord.Notice(HIGH, told.notice().deadline())));
    scene.then(new Event.GangSeen(scene.now(), gang("low").of(1, 4).spec().recording(said)));
    scene.after(Duration.ofSeconds(1));
    scene.then(new Event.VictimTold(scene.now(), gang("low").id()));
    leaves(scene, "low", 0);
    assertThat(scene.state().preemptions().stopped(gang("low").id(), scene.cluster())).hasSize(1);
  }
}
