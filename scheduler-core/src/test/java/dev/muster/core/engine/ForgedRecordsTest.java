package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangPast.RunEnd;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.PreemptionRecord.Notice;
import dev.muster.core.gang.Victim;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/// Records that the owners of objects have forged give them nothing after a restart, and take
/// nothing from others.
class ForgedRecordsTest {
  private static final Policies BY_PRIORITY =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
  private static final GangDraft CHEAP = gang("cheap").of(1, 4);
  private static final GangDraft DEAR = gang("dear").of(1, 4).priority(5);
  private static final GangDraft HIGH = gang("high").of(1, 4).priority(10);

  private static Scene seen(Scene scene, GangDraft gang, GangSpec spec) {
    scene.then(new Event.GangSeen(scene.now(), spec));
    gang.members().forEach(member -> scene.then(new Event.MemberSeen(scene.now(), member)));
    return scene;
  }

  private static Scene runs(Scene scene, GangDraft gang, PreemptionRecord record, String node) {
    scene.then(new Event.GangSeen(scene.now(), gang.spec().recording(record)));
    for (Member member : gang.members()) {
      scene.becomes(member, new MemberState.Bound(new NodeId(node), scene.now()));
    }
    return scene;
  }

  private static Scene synced(Scene scene) {
    return scene.then(new Event.Synced(scene.now()));
  }

  /// The record of a preemptor that names all members of this gang as its victims.
  private static PreemptionRecord preempting(GangDraft victim) {
    SortedKeys<MemberId> members = SortedKeys.empty();
    for (Member member : victim.members()) {
      members = members.with(member.id());
    }
    Victim named = new Victim(victim.id(), members, "priority", 0);
    return new PreemptionRecord(
        SortedTable.<GangId, Victim>empty().with(victim.id(), named), List.of(), Optional.empty());
  }

  /// The record of a victim that was notified for this gang.
  private static PreemptionRecord notified(GangDraft by, Instant at) {
    Notice notice = new Notice(by.id(), Optional.empty());
    return new PreemptionRecord(SortedTable.empty(), List.of(at), Optional.of(notice));
  }

  private static int gpusTaken(Scene scene, String node) {
    NodeState state = scene.state(node);
    return state.usedGpus() + state.promisedGpus();
  }

  /// "cheap" and "dear" run on the only two nodes. The object of "high" names "dear" as its victim.
  private static Scene dearIsNamed(PreemptionRecord noticeOfDear) {
    Scene scene = Scene.unsynced("b/r: n1[....] n2[....]", BY_PRIORITY);
    runs(scene, CHEAP, PreemptionRecord.NONE, "n1");
    runs(scene, DEAR, noticeOfDear, "n2");
    seen(scene, HIGH, HIGH.spec().recording(preempting(DEAR)));
    return synced(scene).after(Duration.ofSeconds(5));
  }

  // ---- Reservations ----

  @Test
  void record_of_a_node_in_use_gives_no_gpu_of_it() {
    GangDraft gang = gang("a").of(1, 4).recorded(0, "n1");
    Scene scene = Scene.unsynced("b/r: n1[####] n2[....]", Policies.DEFAULT).silent();
    synced(seen(scene, gang, gang.spec()));
    assertThat(gpusTaken(scene, "n1")).isEqualTo(4);
    assertThat(gpusTaken(scene, "n2")).isEqualTo(4);
  }

  @Test
  void members_recorded_on_one_node_get_no_more_than_it_has() {
    GangDraft gang = gang("a").of(3, 2);
    gang.recorded(0, "n1").recorded(1, "n1").recorded(2, "n1");
    Scene scene = Scene.unsynced("b/r: n1[....] n2[....]", Policies.DEFAULT).silent();
    synced(seen(scene, gang, gang.spec()));
    assertThat(gpusTaken(scene, "n1")).isEqualTo(4);
    assertThat(gpusTaken(scene, "n2")).isEqualTo(2);
  }

  @Test
  void two_gangs_that_record_the_same_gpus_do_not_both_get_them() {
    GangDraft one = gang("a").of(1, 4).recorded(0, "n1");
    GangDraft other = gang("b").of(1, 4).recorded(0, "n1");
    Scene scene = Scene.unsynced("b/r: n1[....]", Policies.DEFAULT).silent();
    seen(scene, one, one.spec());
    synced(seen(scene, other, other.spec()));
    assertThat(gpusTaken(scene, "n1")).isEqualTo(4);
  }

  // ---- Victims ----

  @Test
  void victim_that_names_another_preemptor_stays() {
    Scene scene = dearIsNamed(notified(gang("another").of(1, 4), Scene.START));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("cheap");
  }

  @Test
  void notice_of_an_earlier_preemption_is_no_notice_of_this_one() {
    Scene scene = dearIsNamed(notified(HIGH, Scene.START.minusSeconds(3600)));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("cheap");
  }

  @Test
  void notice_of_this_preemption_is_believed() {
    Scene scene = dearIsNamed(notified(HIGH, Scene.START));
    assertThat(scene.askedOf(Effect.Evict.class)).containsExactly("dear");
  }

  @Test
  void victim_of_which_only_a_part_is_named_stays_whole() {
    Scene scene = Scene.unsynced("b/r: n1[....] n2[....]", BY_PRIORITY);
    GangDraft pair = gang("pair").of(2, 2);
    runs(scene, pair, notified(HIGH, Scene.START), "n1");
    runs(scene, DEAR, PreemptionRecord.NONE, "n2");
    Victim part =
        new Victim(
            pair.id(),
            SortedKeys.<MemberId>empty().with(pair.members().getFirst().id()),
            "priority",
            0);
    PreemptionRecord record =
        new PreemptionRecord(
            SortedTable.<GangId, Victim>empty().with(pair.id(), part), List.of(), Optional.empty());
    GangDraft small = gang("high").of(1, 2).priority(10);
    synced(seen(scene, small, small.spec().recording(record)));
    assertThat(scene.askedOf(Effect.Evict.class)).isEmpty();
    assertThat(scene.after(Duration.ofSeconds(5)).nodesOf("pair")).isEmpty();
  }

  @Test
  void victims_without_pods_keep_no_place_for_a_gang_beyond_its_quota() {
    Queues queues =
        Queues.of(List.of(Queue.of("full").most(Quota.of(4)), Queue.of("free").most(Quota.of(4))));
    Policies policies =
        Policies.of(queues, Duration.ofMinutes(2), Optional.empty())
            .with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    GangDraft over = gang("over").of(1, 4).queue("full");
    GangDraft accomplice = gang("accomplice").of(1, 4).queue("full");
    GangDraft honest = gang("honest").of(1, 4).queue("free");
    Scene scene = Scene.unsynced("b/r: n1[....] n2[....]", policies);
    runs(scene, gang("running").of(1, 4).queue("full"), PreemptionRecord.NONE, "n1");
    scene.then(
        new Event.GangSeen(scene.now(), accomplice.spec().recording(notified(over, scene.now()))));
    seen(scene, over, over.spec().recording(preempting(accomplice)));
    synced(seen(scene, honest, honest.spec()));
    assertThat(scene.nodesOf("honest")).containsExactly("n2");
  }

  // ---- The past ----

  @Test
  void forged_past_starts_no_part_of_a_gang() {
    GangDraft gang = gang("a").of(2, 4);
    GangPast past = GangPast.NONE.running(Optional.of(1)).eligible(Optional.of(Instant.EPOCH));
    Scene scene = Scene.unsynced("b/r: n1[....]", Policies.DEFAULT);
    synced(seen(scene, gang, gang.spec().recalling(Optional.of(past))));
    assertThat(scene.after(Duration.ofMinutes(1)).nodesOf("a")).isEmpty();
  }

  @Test
  void forged_end_stops_no_gang() {
    GangDraft gang = gang("a").of(2, 2);
    GangPast past = GangPast.NONE.ending(Optional.of(new RunEnd(2, 0)));
    Scene scene = Scene.unsynced("b/r: n1[....]", Policies.DEFAULT);
    synced(seen(scene, gang, gang.spec().recalling(Optional.of(past))));
    assertThat(scene.nodesOf("a")).hasSize(2);
  }

  // ---- Any records ----

  @Property(tries = 60)
  void no_records_give_or_take_what_quota_and_policy_would_not(
      @ForAll @LongRange(min = 0, max = 1_000_000) long seed) {
    new ForgedCluster(seed).check();
  }
}
