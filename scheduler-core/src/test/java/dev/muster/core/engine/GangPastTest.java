package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// What a gang did before is known to the end of its object, also after a restart.
class GangPastTest {
  private static final String TWO_NODES = "b/r: n1[....] n2[....]";
  private static final GangDraft PAIR = gang("a").of(2, 4);

  /// The scheduler starts again and reads all objects; the gang's object has its recorded past.
  private static Scene restarted(Scene scene, String drawing) {
    Scene next = Scene.unsynced(drawing, Policies.DEFAULT);
    for (Gang gang : scene.cluster().gangs()) {
      gang.spec()
          .map(spec -> spec.recalling(Optional.of(gang.past())))
          .ifPresent(spec -> next.then(new Event.GangSeen(next.now(), spec)));
      gang.members().forEach(member -> next.then(new Event.MemberSeen(next.now(), member)));
    }
    return next.then(new Event.Synced(next.now()));
  }

  /// A gang of two runs, and is told to be four, of which two find no place.
  private static Scene raised() {
    GangDraft four = gang("a").of(4, 4);
    Scene scene = Scene.of(TWO_NODES).arrives(PAIR);
    scene.then(new Event.GangSeen(scene.now(), four.spec()));
    scene.becomes(four.member(2, ""), new MemberState.Held(false));
    return scene.becomes(four.member(3, ""), new MemberState.Held(false));
  }

  private static Scene ended(Scene scene, boolean well) {
    for (Member member : scene.gang("a").members().values()) {
      scene.becomes(member, new MemberState.Ended(well));
    }
    return scene;
  }

  private static Scene deleted(Scene scene) {
    for (Member member : scene.gang("a").members().values()) {
      scene.becomes(member, new MemberState.Leaving(Optional.empty()));
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    return scene;
  }

  private static Instant age(Scene scene) {
    return scene.gang("a").eligibleAt();
  }

  // ---- The minimum with which it runs ----

  @Test
  void raised_minimum_and_a_restart_evict_no_running_member() {
    Scene scene = restarted(raised(), TWO_NODES).after(Policies.REPAIR.plusMinutes(1));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void raised_minimum_and_a_repaired_member_evict_no_running_member() {
    Scene scene = raised();
    Member lost = PAIR.member(1, "");
    scene.then(new Event.MemberGone(scene.now(), lost.gang(), lost.id()));
    scene.becomes(PAIR.member(1, "-again"), new MemberState.Held(false));
    scene.after(Policies.REPAIR.plusMinutes(1));
    assertThat(scene.decisions()).noneMatch(Decision.Release.class::isInstance);
  }

  @Test
  void gang_that_lost_a_member_is_released_in_time_after_a_restart() {
    Scene scene = Scene.of(TWO_NODES).arrives(PAIR);
    Member lost = PAIR.member(1, "");
    scene.then(new Event.MemberGone(scene.now(), lost.gang(), lost.id()));
    scene = restarted(scene, "b/r: n1[....]");
    scene.becomes(PAIR.member(1, "-again"), new MemberState.Held(false));
    assertThat(scene.after(Policies.REPAIR.plusMinutes(1)).nodesOf("a")).isEmpty();
  }

  @Test
  void gang_without_its_object_asks_for_no_record() {
    Scene scene = Scene.of(TWO_NODES).arrives(PAIR);
    scene.then(new Event.GangGone(scene.now(), PAIR.id()));
    int asked = scene.asked().size();
    scene.becomes(gang("a").of(3, 4).member(2, ""), new MemberState.Held(false));
    assertThat(scene.asked().subList(asked, scene.asked().size()))
        .noneMatch(Effect.ClearReservation.class::isInstance);
  }

  @Test
  void object_gets_the_minimum_in_the_write_that_removes_the_reservation() {
    Scene scene = Scene.of(TWO_NODES).arrives(PAIR);
    assertThat(scene.asked())
        .contains(new Effect.ClearReservation(PAIR.id(), Optional.of(2)))
        .filteredOn(Effect.ClearReservation.class::isInstance)
        .hasSize(1);
  }

  @Test
  void lowered_minimum_is_recorded_although_nothing_is_reserved() {
    Scene scene = Scene.of(TWO_NODES).arrives(PAIR);
    scene.then(new Event.GangSeen(scene.now(), gang("a").of(2, 4).minCount(1).spec()));
    assertThat(scene.asked()).contains(new Effect.ClearReservation(PAIR.id(), Optional.of(1)));
  }

  @Test
  void new_object_of_a_running_gang_gets_the_minimum() {
    Scene scene = Scene.of(TWO_NODES).arrives(PAIR);
    scene.then(new Event.GangGone(scene.now(), PAIR.id()));
    scene.then(new Event.GangSeen(scene.now(), PAIR.spec()));
    assertThat(scene.asked())
        .filteredOn(new Effect.ClearReservation(PAIR.id(), Optional.of(2))::equals)
        .hasSize(2);
  }

  @Test
  void gang_that_must_start_again_starts_with_its_whole_minimum() {
    Scene scene = raised();
    List<Event.GangFact> lost = new ArrayList<>();
    for (Member member : scene.gang("a").bound()) {
      lost.add(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    scene.then(new Event.GangChanged(scene.now(), PAIR.id(), lost));
    assertThat(scene.nodesOf("a")).isEmpty();
  }

  @Test
  void waiting_member_of_a_raised_minimum_takes_the_place_of_a_lost_one() {
    Scene scene = raised();
    Member lost = PAIR.member(0, "");
    scene.then(new Event.MemberGone(scene.now(), lost.gang(), lost.id()));
    assertThat(scene.nodesOf("a")).hasSize(2);
  }

  // ---- Its end ----

  @Test
  void gang_whose_pods_are_deleted_after_their_end_stays_finished() {
    Scene scene = deleted(ended(Scene.of(TWO_NODES).arrives(PAIR), true));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.LEAVING);
    assertThat(scene.gang("a").succeededCount()).isEqualTo(2);
  }

  @Test
  void gang_stays_finished_after_a_restart() {
    Scene scene = restarted(deleted(ended(Scene.of(TWO_NODES).arrives(PAIR), true)), TWO_NODES);
    assertThat(scene.phase("a")).isEqualTo(GangPhase.LEAVING);
    assertThat(scene.gang("a").succeededCount()).isEqualTo(2);
  }

  @Test
  void gang_that_failed_stays_failed_without_its_pods() {
    Scene scene = deleted(ended(Scene.of(TWO_NODES).arrives(PAIR), false));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.LEAVING);
    assertThat(scene.gang("a").failedCount()).isEqualTo(2);
  }

  @Test
  void finished_gang_gathers_when_new_pods_come() {
    Scene scene = deleted(ended(Scene.of(TWO_NODES).arrives(PAIR), true));
    scene.becomes(PAIR.member(0, "-next"), new MemberState.Held(false));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.GATHERING);
    assertThat(scene.gang("a").succeededCount()).isZero();
  }

  @Test
  void gang_that_is_deleted_while_it_runs_is_not_finished() {
    Scene scene = deleted(Scene.of(TWO_NODES).arrives(PAIR));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.GATHERING);
  }

  // ---- Its age ----

  @Test
  void gang_that_is_complete_first_starts_first() {
    GangDraft old = gang("old").of(1, 4);
    GangDraft young = gang("young").of(1, 4);
    Scene scene = Scene.of("b/r: n1[####]");
    scene.then(new Event.GangSeen(scene.now(), old.spec())).after(Duration.ofSeconds(30));
    scene.arrives(young.createdAt(scene.now())).after(Duration.ofSeconds(30));
    scene.then(new Event.MemberSeen(scene.now(), old.createdAt(scene.now()).member(0, "")));
    scene.after(Duration.ofSeconds(5));
    scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n1")));
    assertThat(scene.nodesOf("young")).containsExactly("n1");
  }

  /// A gang of two that waits; one of its pods is replaced a minute later.
  private static Scene replaced() {
    Scene scene = Scene.of("b/r: n1[####]").arrives(PAIR).after(Duration.ofMinutes(1));
    Member lost = PAIR.member(1, "");
    scene.then(new Event.MemberGone(scene.now(), lost.gang(), lost.id()));
    GangDraft later = gang("a").of(2, 4).createdAt(scene.now());
    return scene.becomes(later.member(1, "-again"), new MemberState.Held(false));
  }

  @Test
  void replaced_pod_leaves_the_age_as_it_is() {
    assertThat(age(replaced())).isEqualTo(Scene.START);
  }

  @Test
  void replaced_pod_leaves_the_age_as_it_is_after_a_restart() {
    assertThat(age(restarted(replaced(), TWO_NODES))).isEqualTo(Scene.START);
  }

  private static Scene recreated(Scene scene) {
    scene.after(Duration.ofMinutes(1));
    GangDraft later = gang("a").of(2, 4).createdAt(scene.now());
    for (Member member : scene.gang("a").members().values()) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    for (int rank = 0; rank < 2; rank++) {
      scene.becomes(later.member(rank, "-again"), new MemberState.Held(false));
    }
    return scene;
  }

  @Test
  void gang_that_loses_all_pods_while_it_waits_begins_again() {
    Scene scene = recreated(Scene.of("b/r: n1[####]").arrives(PAIR));
    assertThat(age(scene)).isEqualTo(scene.now());
  }

  @Test
  void gang_that_loses_all_pods_while_it_runs_keeps_its_age() {
    assertThat(age(recreated(Scene.of(TWO_NODES).arrives(PAIR)))).isEqualTo(Scene.START);
  }

  /// All pods of a running gang are deleted. They end, and are gone a minute later.
  private static Scene stopped(MemberState end) {
    Scene scene = Scene.of(TWO_NODES).arrives(PAIR);
    Optional<Instant> due = Optional.of(scene.now().plusSeconds(30));
    List<Member> pods = scene.gang("a").members().values();
    pods.forEach(pod -> scene.becomes(pod, new MemberState.Leaving(pod.node(), due)));
    pods.forEach(pod -> scene.becomes(pod, end));
    assertThat(scene.gang("a").end()).as("end of its run").isEmpty();
    assertThat(scene.gang("a").failedCount()).isZero();
    return scene;
  }

  @Test
  void stopped_gang_keeps_its_age_however_its_pods_end() {
    assertThat(age(recreated(stopped(new MemberState.Ended(false))))).isEqualTo(Scene.START);
    assertThat(age(recreated(stopped(new MemberState.Ended(true))))).isEqualTo(Scene.START);
    assertThat(age(recreated(stopped(new MemberState.Leaving(Optional.empty())))))
        .isEqualTo(Scene.START);
  }

  @Test
  void stopped_gang_gathers_once_its_pods_are_gone() {
    Scene scene = stopped(new MemberState.Ended(false));
    for (Member member : scene.gang("a").members().values()) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    assertThat(scene.phase("a")).isEqualTo(GangPhase.GATHERING);
  }

  @Test
  void gang_whose_waiting_pods_are_deleted_in_time_begins_again() {
    Scene scene = Scene.of("b/r: n1[####]").arrives(PAIR);
    Optional<Instant> due = Optional.of(scene.now());
    for (Member pod : scene.gang("a").members().values()) {
      scene.becomes(pod, new MemberState.Leaving(Optional.empty(), due));
    }
    assertThat(age(recreated(scene))).isEqualTo(scene.now());
  }

  @Test
  void next_run_of_a_finished_gang_has_an_age_of_its_own() {
    Scene scene = deleted(ended(Scene.of(TWO_NODES).arrives(PAIR), true));
    scene.after(Duration.ofMinutes(1));
    GangDraft next = gang("a").of(2, 4).createdAt(scene.now());
    next.members().forEach(member -> scene.then(new Event.MemberSeen(scene.now(), member)));
    assertThat(age(scene)).isEqualTo(scene.now());
  }

  /// The oracle sorts the creation times; the order in which objects are seen must not matter.
  @Property(tries = 200)
  void age_counts_from_the_last_object_that_the_minimum_needed(
      @ForAll @IntRange(min = 1, max = 6) int members,
      @ForAll @IntRange(min = 1, max = 6) int least,
      @ForAll long seed) {
    Random random = new Random(seed);
    int minimum = Math.min(members, least);
    List<Instant> created = new ArrayList<>();
    List<Event> events = new ArrayList<>();
    Instant declared = Scene.START.plusSeconds(random.nextInt(20));
    for (int rank = 0; rank < members; rank++) {
      created.add(Scene.START.plusSeconds(random.nextInt(20)));
      GangDraft draft = gang("a").of(members, 8).createdAt(created.getLast());
      events.add(new Event.MemberSeen(Scene.START, draft.member(rank, "")));
    }
    GangDraft object = gang("a").of(members, 8).minCount(minimum).createdAt(declared);
    events.add(new Event.GangSeen(Scene.START, object.spec()));
    Collections.shuffle(events, random);
    Scene listed = Scene.unsynced(TWO_NODES, Policies.DEFAULT);
    events.forEach(listed::then);
    listed.then(new Event.Synced(Scene.START));
    Collections.sort(created);
    Instant last = created.get(minimum - 1);
    assertThat(age(listed)).isEqualTo(last.isAfter(declared) ? last : declared);
  }

  /// Seen one after another as they are created, and whatever comes later.
  @Property(tries = 200)
  void age_never_changes_while_the_gang_waits(@ForAll long seed) {
    Random random = new Random(seed);
    Scene scene = Scene.of("b/r: n1[####]").arrives(PAIR);
    int pods = 2;
    for (int i = 0; i < 8; i++) {
      scene.after(Duration.ofSeconds(1));
      GangDraft later = gang("a").of(9, 4).createdAt(scene.now());
      List<Member> present = scene.gang("a").members().values();
      if (random.nextBoolean() || present.size() < 2) {
        scene.becomes(later.member(pods++ % 9, "-" + i), new MemberState.Held(false));
      } else {
        Member lost = present.get(random.nextInt(present.size()));
        scene.then(new Event.MemberGone(scene.now(), lost.gang(), lost.id()));
      }
      assertThat(age(scene)).isEqualTo(Scene.START);
    }
  }
}
