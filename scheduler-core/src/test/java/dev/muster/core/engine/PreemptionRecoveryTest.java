package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Victim;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A restart continues or cancels recorded preemptions.
class PreemptionRecoveryTest {
  private static final Policies BY_PRIORITY =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
  private static final Policies TWO_MINUTES =
      Policies.DEFAULT.with(new SceneEvents(Duration.ofMinutes(2)));
  private static final GangDraft LOW = gang("low").of(2, 2);
  private static final GangDraft HIGH = gang("high").of(2, 2).priority(10);

  private static Scene seen(Scene scene, GangDraft gang, PreemptionRecord record) {
    scene.then(new Event.GangSeen(scene.now(), gang.spec().recording(record)));
    gang.members().forEach(member -> scene.then(new Event.MemberSeen(scene.now(), member)));
    return scene;
  }

  private static Scene runs(Scene scene, Member member, String node) {
    return scene.becomes(member, new MemberState.Bound(new NodeId(node), scene.now()));
  }

  /// The record of the preemptor of all members of the gang.
  private static PreemptionRecord stopping(GangDraft victim) {
    SortedKeys<MemberId> members = SortedKeys.empty();
    for (Member member : victim.members()) {
      members = members.with(member.id());
    }
    GangId id = victim.id();
    Victim leaving = new Victim(id, members, "priority", 0);
    return new PreemptionRecord(
        SortedTable.<GangId, Victim>empty().with(id, leaving), List.of(), Optional.empty());
  }

  private static PreemptionRecord told(Optional<Instant> deadline) {
    return new PreemptionRecord(
        SortedTable.empty(),
        List.of(Scene.START),
        Optional.of(new PreemptionRecord.Notice(HIGH.id(), deadline)));
  }

  private static Scene synced(Scene scene) {
    return scene.then(new Event.Synced(scene.now()));
  }

  /// "low" runs on the only node and is recorded to be stopped for "high".
  private static Scene lowRuns(Policies policies, PreemptionRecord said) {
    Scene scene = Scene.unsynced("b/r: n1[....]", policies);
    seen(scene, LOW, said);
    LOW.members().forEach(member -> runs(scene, member, "n1"));
    return synced(seen(scene, HIGH, stopping(LOW)));
  }

  /// One of the two members of the victim is gone already.
  private static Scene lowIsHalfGone(Policies policies, PreemptionRecord said) {
    Scene scene = Scene.unsynced("b/r: n1[....]", policies);
    scene.then(new Event.GangSeen(scene.now(), LOW.spec().recording(said)));
    runs(scene, LOW.members().get(1), "n1");
    return synced(seen(scene, HIGH, stopping(LOW)));
  }

  private static boolean isCleared(Scene scene) {
    return scene.asked().contains(new Effect.RecordVictims(HIGH.id(), SortedTable.empty()));
  }

  @Test
  void preemption_of_an_earlier_run_continues() {
    Scene scene = lowIsHalfGone(BY_PRIORITY, told(Optional.empty()));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("low");
    assertThat(scene.nodesOf("high")).hasSize(2);
  }

  @Test
  void continued_preemption_counts_for_the_hourly_limit() {
    Scene scene = lowIsHalfGone(BY_PRIORITY, told(Optional.empty()));
    assertThat(scene.state().preemptions().left(1, List.of(), scene.now())).isZero();
  }

  @Test
  void foreign_record_preempts_no_gang() {
    Scene scene = lowIsHalfGone(BY_PRIORITY, PreemptionRecord.NONE);
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
    assertThat(scene.askedOf(Effect.TellVictim.class)).isEmpty();
    assertThat(isCleared(scene)).isTrue();
  }

  @Test
  void gang_spared_by_the_current_policy_is_not_preempted() {
    Scene scene =
        lowIsHalfGone(
            Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.SHADOW)),
            told(Optional.empty()));
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
    assertThat(scene.askedOf(Effect.Reprieve.class)).containsExactly("low");
    assertThat(isCleared(scene)).isTrue();
  }

  @Test
  void gang_of_equal_priority_is_not_preempted() {
    Scene scene = Scene.unsynced("b/r: n1[....]", BY_PRIORITY);
    GangDraft peer = gang("low").of(2, 2).priority(10);
    scene.then(new Event.GangSeen(scene.now(), peer.spec().recording(told(Optional.empty()))));
    runs(scene, peer.members().get(1), "n1");
    synced(seen(scene, HIGH, stopping(peer)));
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
    assertThat(scene.askedOf(Effect.Reprieve.class)).containsExactly("low");
  }

  @Test
  void victim_gets_its_whole_notice_again_and_is_counted_once() {
    Scene scene = lowRuns(TWO_MINUTES, told(Optional.of(Scene.START.plusSeconds(10))));
    scene.after(Duration.ofSeconds(119));
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
    scene.after(Duration.ofSeconds(2));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("low");
    assertThat(scene.nodesOf("high")).hasSize(2);
    assertThat(scene.state().preemptions().stopped(LOW.id(), scene.cluster())).hasSize(1);
  }

  @Test
  void victim_that_lost_a_member_during_its_notice_is_not_evicted_early() {
    Scene scene = lowIsHalfGone(TWO_MINUTES, told(Optional.of(Scene.START.plusSeconds(10))));
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
  }

  @Test
  void victim_is_spared_when_capacity_is_free_now() {
    Scene scene = Scene.unsynced("b/r: n1[....] n2[....]", TWO_MINUTES);
    seen(scene, LOW, told(Optional.of(Scene.START.plusSeconds(10))));
    LOW.members().forEach(member -> runs(scene, member, "n1"));
    synced(seen(scene, HIGH, stopping(LOW)));
    assertThat(scene.nodesOf("high")).containsExactly("n2", "n2");
    assertThat(scene.askedOf(Effect.Reprieve.class)).containsExactly("low");
    assertThat(isCleared(scene)).isTrue();
  }

  @Test
  void replacements_of_victims_do_not_take_the_freed_capacity() {
    Scene scene = Scene.unsynced("b/r: n1[....] n2[....] n3[....] n4[....]", BY_PRIORITY);
    GangDraft old = gang("low").of(4, 4).minCount(1);
    GangDraft high = gang("high").of(4, 4).priority(10);
    scene.then(new Event.GangSeen(scene.now(), old.spec().recording(told(Optional.empty()))));
    for (int i = 0; i < 2; i++) {
      scene.then(new Event.MemberSeen(scene.now(), old.member(i, "again")));
      leaving(scene, old.members().get(2 + i), "n" + (3 + i));
    }
    synced(seen(scene, high, stopping(old)));
    assertThat(scene.nodesOf("low")).isEmpty();
    for (Member member : old.members().subList(2, 4)) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    assertThat(scene.nodesOf("high")).hasSize(4);
  }

  private static void leaving(Scene scene, Member member, String node) {
    scene.becomes(member, new MemberState.Leaving(Optional.of(new NodeId(node))));
  }

  @Test
  void capacity_freed_during_downtime_goes_to_the_preemptor() {
    GangDraft low = gang("low").of(1, 4);
    GangDraft high = gang("high").of(1, 4).priority(10);
    Instant before = Scene.START.minusSeconds(600);
    Scene scene = Scene.unsynced("b/r: n1[....]", BY_PRIORITY);
    seen(scene, high, stopping(low));
    scene.then(new Event.GangSeen(scene.now(), low.spec().recording(told(Optional.empty()))));
    scene.then(new Event.MemberSeen(scene.now(), low.member(0, "-again")));
    scene.arrives(gang("older").of(1, 4).priority(10).createdAt(before));

    scene.then(new Event.Synced(scene.now())).after(Duration.ofSeconds(1));

    assertThat(scene.nodesOf("high")).containsExactly("n1");
  }

  @Test
  void victim_taken_over_from_another_preemptor_is_notified_when_spared() {
    Scene scene = Scene.of("b/r: n1[....]", TWO_MINUTES).arrives(LOW).arrives(HIGH);
    assertThat(scene.after(Duration.ofSeconds(1)).askedOf(Effect.TellVictim.class))
        .containsExactly("low");
    scene.arrives(gang("higher").of(2, 2).priority(20)).silent().after(Duration.ofSeconds(1));

    for (String name : List.of("high", "higher")) {
      for (Member member : scene.gang(name).members().values()) {
        scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
      }
      scene.then(new Event.GangGone(scene.now(), gang(name).id()));
    }

    assertThat(scene.after(Duration.ofMinutes(5)).askedOf(Effect.Reprieve.class))
        .containsExactly("low");
  }
}
