package dev.muster.core.engine;

import static dev.muster.core.engine.BackfillScenes.hold;
import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberReport;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A victim is notified, evicted after its notice and spared if it is no longer needed.
class PreemptionTest extends PreemptionScenes {
  private static Scene lowRuns(Policies policies) {
    return Scene.of("b/r: n1[....]", policies).arrives(gang("low").of(2, 2));
  }

  @Test
  void recreated_victim_does_not_take_the_freed_capacity() {
    Scene scene = lowRuns(BY_PRIORITY).arrives(gang("high").of(2, 2).priority(10));
    scene.silent().after(SECOND);
    GangId high = gang("high").id();
    scene.then(new Event.VictimsRecorded(scene.now(), high));
    scene.then(new Event.VictimTold(scene.now(), gang("low").id()));
    for (Member member : scene.gang("low").members().values()) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
      scene.then(
          new Event.MemberSeen(
              scene.now(), gang("low").of(2, 2).member((int) member.rank(), "again")));
    }
    assertThat(scene.cluster().reservations().contains(high)).isTrue();
    assertThat(scene.cluster().reservations().contains(gang("low").id())).isFalse();
  }

  @Test
  void no_pod_is_evicted_before_the_victims_are_recorded() {
    Scene scene = lowRuns(BY_PRIORITY).arrives(gang("high").of(2, 2).priority(10));
    scene.silent().after(SECOND);
    assertThat(scene.asked()).anyMatch(Effect.RecordVictims.class::isInstance);
    assertThat(scene.asked()).noneMatch(Effect.Evict.class::isInstance);
  }

  @Test
  void notice_of_an_earlier_plan_does_not_count_for_this_one() {
    Scene scene = lowRuns(BY_PRIORITY).arrives(gang("high").of(2, 2).priority(10));
    scene.silent().after(SECOND);
    scene.then(new Event.VictimTold(scene.now(), gang("low").id()));
    scene.then(new Event.VictimsRecorded(scene.now(), gang("high").id()));
    assertThat(evicted(scene)).isEmpty();
  }

  @Test
  void victim_has_the_time_of_its_notice() {
    Scene scene =
        lowRuns(telling(Duration.ofMinutes(2))).arrives(gang("high").of(2, 2).priority(10));
    scene.after(Duration.ofMinutes(2));
    assertThat(evicted(scene)).isEmpty();
    scene.after(Duration.ofSeconds(2));
    assertThat(evicted(scene)).containsExactly("low");
    assertThat(scene.nodesOf("high")).hasSize(2);
  }

  @Test
  void victim_notified_late_has_its_whole_time_from_the_notice() {
    Scene scene =
        lowRuns(telling(Duration.ofMinutes(2))).arrives(gang("high").of(2, 2).priority(10));
    scene.silent().after(SECOND);
    scene.then(new Event.VictimsRecorded(scene.now(), gang("high").id()));
    scene.after(Duration.ofMinutes(3)).then(new Event.VictimTold(scene.now(), gang("low").id()));
    scene.after(Duration.ofSeconds(100));
    assertThat(evicted(scene)).isEmpty();
    scene.after(Duration.ofSeconds(21));
    assertThat(evicted(scene)).containsExactly("low");
    assertThat(scene.state().preemptions().stopped(gang("low").id(), scene.cluster())).hasSize(1);
  }

  @Test
  void victim_that_saved_its_work_leaves_at_once() {
    Scene scene =
        lowRuns(telling(Duration.ofMinutes(2))).arrives(gang("high").of(2, 2).priority(10));
    scene.after(SECOND);
    Instant deadline = scene.now().plus(Duration.ofMinutes(2));
    for (Member member : scene.gang("low").members().values()) {
      MemberReport saved = new MemberReport(Optional.empty(), Optional.of(deadline));
      scene.reports(member, saved);
    }
    assertThat(scene.nodesOf("high")).hasSize(2);
  }

  @Test
  void victim_is_spared_when_the_preemptor_is_withdrawn_in_time() {
    Scene scene =
        lowRuns(telling(Duration.ofMinutes(2))).arrives(gang("high").of(2, 2).priority(10));
    scene.after(SECOND);
    for (Member member : scene.gang("high").members().values()) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    scene.then(new Event.GangGone(scene.now(), gang("high").id()));
    scene.after(Duration.ofMinutes(3));
    assertThat(scene.asked()).anyMatch(Effect.Reprieve.class::isInstance);
    assertThat(evicted(scene)).isEmpty();
    assertThat(scene.state().preemptions().underWay().isEmpty()).isTrue();
  }

  @Test
  void notified_but_spared_gang_was_not_preempted_despite_its_record() {
    Scene scene =
        lowRuns(telling(Duration.ofMinutes(2))).arrives(gang("high").of(2, 2).priority(10));
    scene.after(SECOND);
    PreemptionRecord said =
        new PreemptionRecord(
            SortedTable.empty(),
            List.of(scene.now()),
            Optional.of(new PreemptionRecord.Notice(gang("high").id(), Optional.empty())));
    scene.then(new Event.GangSeen(scene.now(), gang("low").of(2, 2).spec().recording(said)));
    scene.under(Policies.DEFAULT).after(SECOND);
    assertThat(scene.state().preemptions().stopped(gang("low").id(), scene.cluster())).isEmpty();
  }

  @Test
  void disabled_policy_spares_every_victim_that_has_not_begun_to_leave() {
    Scene scene =
        lowRuns(telling(Duration.ofMinutes(2))).arrives(gang("high").of(2, 2).priority(10));
    scene.after(SECOND).under(Policies.DEFAULT).after(Duration.ofMinutes(3));
    assertThat(scene.asked()).anyMatch(Effect.Reprieve.class::isInstance);
    assertThat(evicted(scene)).isEmpty();
  }

  @Test
  void nothing_is_held_for_a_partly_evicted_victim() {
    Scene scene = lowRuns(BY_PRIORITY).arrives(gang("high").of(2, 2).priority(10));
    scene.silent().after(SECOND);
    scene.then(new Event.VictimsRecorded(scene.now(), gang("high").id()));
    scene.then(new Event.VictimTold(scene.now(), gang("low").id()));
    Member first = scene.gang("low").members().values().getFirst();
    scene.then(new Event.MemberGone(scene.now(), first.gang(), first.id()));
    assertThat(scene.cluster().holds().keys()).containsExactly(gang("high").id());
  }

  @Test
  void victim_is_spared_when_capacity_comes_free_meanwhile() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", telling(Duration.ofMinutes(2)))
            .arrives(gang("low").of(2, 2))
            .arrives(gang("peer").of(1, 4).priority(10))
            .arrives(gang("high").of(2, 2).priority(10))
            .after(SECOND);
    scene.ends("peer").after(Duration.ofMinutes(3));
    assertThat(scene.nodesOf("high")).hasSize(2);
    assertThat(evicted(scene)).isEmpty();
  }

  @Test
  void blocking_disruption_budget_changes_the_victims() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", BY_PRIORITY)
            .arrives(gang("guarded").of(1, 4))
            .arrives(gang("dearer").of(1, 4).priority(5))
            .arrives(gang("high").of(1, 4).priority(10));
    scene.silent().after(SECOND);
    GangId high = gang("high").id();
    scene.then(new Event.VictimsRecorded(scene.now(), high));
    Member guarded = scene.gang("guarded").members().values().getFirst();
    scene.then(
        new Event.MemberNotEvicted(
            scene.now(), guarded.gang(), guarded.id(), true, "429 the budget allows none"));
    scene.after(Duration.ofSeconds(2));
    assertThat(victims(scene)).containsExactly("guarded", "dearer");
    assertThat(evicted(scene)).isEmpty();
  }

  @Test
  void preemption_continues_when_another_gang_of_the_class_is_withdrawn() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]", telling(Duration.ofMinutes(2)))
            .arrives(gang("a").of(1, 4))
            .arrives(gang("b").of(1, 4))
            .arrives(gang("first").of(1, 4).priority(10))
            .arrives(gang("second").of(1, 4).priority(10))
            .after(Duration.ofSeconds(3));
    assertThat(victims(scene)).containsExactlyInAnyOrder("a", "b");
    scene.then(new Event.GangGone(scene.now(), gang("first").id()));
    assertThat(scene.asked()).filteredOn(Effect.Reprieve.class::isInstance).hasSize(1);
  }

  @Test
  void higher_newcomer_takes_over_the_preemption() {
    Scene scene =
        lowRuns(telling(Duration.ofMinutes(2))).arrives(gang("high").of(2, 2).priority(10));
    scene.after(SECOND).arrives(gang("higher").of(2, 2).priority(20)).after(Duration.ofMinutes(3));
    assertThat(scene.nodesOf("higher")).hasSize(2);
    assertThat(scene.whyNot("high").orElseThrow()).isInstanceOf(Veto.NotEnoughFree.class);
  }

  @Test
  void preemption_that_loses_its_free_node_is_cancelled_before_any_eviction() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....]", telling(Duration.ofMinutes(2)))
            .arrives(gang("cheap").of(1, 4))
            .arrives(gang("dear").of(1, 4).priority(5))
            .arrives(gang("high").of(2, 4).priority(6))
            .after(SECOND);
    assertThat(victims(scene)).containsExactly("cheap");
    Member cheap = scene.gang("cheap").members().values().getFirst();
    scene.then(
        new Event.MemberNotEvicted(scene.now(), cheap.gang(), cheap.id(), true, "the budget"));
    scene.after(SECOND); // now "dear" is told for it
    scene.arrives(gang("higher").of(3, 4).priority(20)).after(Duration.ofMinutes(4));
    assertThat(evicted(scene)).doesNotContain("cheap");
  }

  @Test
  void forty_preemptions_of_a_gang_are_remembered() {
    List<Instant> forty =
        Stream.iterate(Scene.START.minusSeconds(3600), at -> at.plusSeconds(60)).limit(40).toList();
    var record = new PreemptionRecord(SortedTable.empty(), forty, Optional.empty());
    Scene scene = Scene.of("b/r: n1[....]", BY_PRIORITY).arrives(gang("low").of(1, 4));
    scene.then(new Event.GangSeen(scene.now(), gang("low").of(1, 4).spec().recording(record)));
    scene.arrives(gang("high").of(1, 4).priority(10)).after(SECOND);
    assertThat(scene.state().preemptions().stopped(gang("low").id(), scene.cluster())).hasSize(41);
  }

  @Test
  void shadow_policy_only_reports_its_victims() {
    Scene scene =
        lowRuns(Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.SHADOW)))
            .arrives(gang("high").of(2, 2).priority(10))
            .after(SECOND);
    assertThat(victims(scene)).containsExactly("low");
    assertThat(scene.nodesOf("low")).hasSize(2);
    assertThat(scene.cluster().holds().isEmpty()).isTrue();
  }

  /// Gang `next` has waited so long that the victim's node is drained for it, before the victim is
  /// gone.
  @Test
  void freed_capacity_is_not_taken_by_a_draining_hold() {
    BackfillSettings soon = new BackfillSettings(2, Duration.ofMinutes(1));
    String full = " n2[########] n3[########] n4[########] n5[########]";
    String others = full + " n6[########] n7[########] n8[########]";
    Scene scene =
        Scene.of("b/r: n1[........]" + others, telling(Duration.ofMinutes(5)).with(soon))
            .arrives(gang("low").of(1, 4))
            .arrives(gang("equal").of(1, 4).priority(10))
            .arrives(gang("high").of(1, 4).priority(10))
            .after(SECOND)
            .arrives(gang("next").of(1, 4).priority(10))
            .after(Duration.ofMinutes(2));
    assertThat(hold(scene, "next").map(Hold::kind)).contains(Hold.Kind.DRAINING);
    scene.after(Duration.ofMinutes(3));
    assertThat(scene.nodesOf("high")).containsExactly("n1");
    assertThat(scene.ends("equal").nodesOf("next")).containsExactly("n1");
  }
}
