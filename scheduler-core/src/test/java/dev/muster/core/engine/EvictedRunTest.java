package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberReport;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.GangStatus;
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

/// A run with evicted members goes on, until enough members have ended or a new run begins.
class EvictedRunTest {
  private static final String NODES = "b/r: n1[....] n2[....]";
  private static final GangDraft FOUR = gang("a").of(4, 2);

  /// A gang of four runs for a minute, and one member succeeds.
  private static Scene oneSucceeded() {
    Scene scene = Scene.of(NODES).arrives(FOUR).after(Duration.ofMinutes(1));
    return scene.becomes(scene.gang("a").bound().getFirst(), new MemberState.Ended(true));
  }

  private static Scene terminates(Scene scene, Member member, boolean evicted) {
    Member leaving = member.as(new MemberState.Leaving(member.node(), Optional.of(scene.now())));
    Optional<Instant> mark = evicted ? Optional.of(scene.now()) : Optional.empty();
    return scene.reports(leaving, MemberReport.NONE.evicted(mark));
  }

  /// The members that run are deleted, and are gone after half a minute.
  private static Scene deleted(Scene scene, boolean evicted) {
    List<Member> running = scene.gang("a").bound();
    running.forEach(member -> terminates(scene, member, evicted));
    scene.after(Duration.ofSeconds(30));
    running.forEach(member -> scene.then(gone(scene, member)));
    return scene;
  }

  private static Event gone(Scene scene, Member member) {
    return new Event.MemberGone(scene.now(), member.gang(), member.id());
  }

  private static Scene replaced(Scene scene) {
    GangDraft later = gang("a").of(4, 2).createdAt(scene.now());
    for (int rank = 1; rank < 4; rank++) {
      scene.becomes(later.member(rank, "-again"), new MemberState.Held(false));
    }
    return scene;
  }

  private static Scene restarted(Scene scene) {
    Scene next = Scene.unsynced(NODES, Policies.DEFAULT);
    List<Event> objects = new ArrayList<>();
    for (Gang gang : scene.cluster().gangs()) {
      gang.spec()
          .map(spec -> spec.recalling(Optional.of(gang.past())))
          .ifPresent(spec -> objects.add(new Event.GangSeen(next.now(), spec)));
      gang.members().forEach(member -> objects.add(new Event.MemberSeen(next.now(), member)));
    }
    Collections.shuffle(objects, new Random(1));
    objects.forEach(next::then);
    return next.then(new Event.Synced(next.now()));
  }

  private static String message(Scene scene) {
    return GangStatus.of(scene.gang("a"), scene.cluster(), scene.state(), Policies.DEFAULT)
        .message();
  }

  @Test
  void gang_whose_other_members_were_evicted_gathers() {
    Scene scene = deleted(oneSucceeded(), true);
    assertThat(scene.phase("a")).isEqualTo(GangPhase.GATHERING);
    assertThat(message(scene)).startsWith("1 of 4 members exist");
  }

  @Test
  void gang_whose_other_members_were_evicted_gathers_after_a_restart() {
    assertThat(restarted(deleted(oneSucceeded(), true)).phase("a")).isEqualTo(GangPhase.GATHERING);
  }

  @Test
  void evicted_gang_with_a_succeeded_member_keeps_its_age() {
    Scene scene = replaced(deleted(oneSucceeded(), true));
    assertThat(scene.gang("a").eligibleAt()).isEqualTo(Scene.START);
    assertThat(restarted(scene).gang("a").eligibleAt()).isEqualTo(Scene.START);
  }

  /// An MPIJob deletes its workers when its launcher has ended.
  @Test
  void gang_whose_controller_deletes_the_rest_is_finished() {
    Scene scene = deleted(oneSucceeded(), false);
    assertThat(scene.phase("a")).isEqualTo(GangPhase.LEAVING);
    assertThat(scene.gang("a").end()).isPresent();
  }

  @Test
  void gang_that_ends_after_its_evicted_members_were_replaced_is_finished() {
    Scene scene = replaced(deleted(oneSucceeded(), true));
    List<Member> running = scene.gang("a").bound();
    assertThat(running).hasSize(3);
    scene.becomes(running.getFirst(), new MemberState.Ended(false));
    running.subList(1, 3).forEach(member -> terminates(scene, member, false));
    running.subList(1, 3).forEach(member -> scene.then(gone(scene, member)));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.LEAVING);
    assertThat(scene.gang("a").failedCount()).isEqualTo(1);
  }

  @Test
  void gang_that_ends_without_its_evicted_spare_member_is_finished() {
    GangDraft elastic = gang("a").of(2, 2).minCount(1);
    Scene scene = Scene.of(NODES).arrives(elastic).after(Duration.ofMinutes(1));
    Member spare = scene.gang("a").bound().getLast();
    terminates(scene, spare, true).then(gone(scene, spare));
    scene.becomes(scene.gang("a").bound().getFirst(), new MemberState.Ended(true));
    assertThat(scene.phase("a")).isEqualTo(GangPhase.LEAVING);
  }

  /// The oracle counts: all pods are gone or have ended, some were evicted, none was replaced.
  @Property(tries = 200)
  void run_is_over_if_no_member_was_evicted_or_enough_have_ended(
      @ForAll @IntRange(min = 1, max = 4) int least, @ForAll long seed) {
    Random random = new Random(seed);
    Scene scene = Scene.of(NODES).arrives(gang("a").of(4, 2).minCount(least));
    scene.after(Duration.ofMinutes(1));
    int ended = 0;
    int evicted = 0;
    List<Member> leaving = new ArrayList<>();
    List<Member> pods = new ArrayList<>(scene.gang("a").bound());
    Collections.shuffle(pods, random);
    for (Member pod : pods) {
      switch (random.nextInt(3)) {
        case 0 -> {
          ended++;
          scene.becomes(pod, new MemberState.Ended(random.nextBoolean()));
        }
        case 1 -> {
          evicted++;
          leaving.add(pod);
          terminates(scene, pod, true);
        }
        default -> {
          leaving.add(pod);
          terminates(scene, pod, false);
        }
      }
    }
    leaving.forEach(pod -> scene.then(gone(scene, pod)));
    boolean over = ended >= least || (ended > 0 && evicted == 0);
    assertThat(scene.gang("a").end().isPresent()).isEqualTo(over);
    assertThat(scene.phase("a")).isEqualTo(over ? GangPhase.LEAVING : GangPhase.GATHERING);
    assertThat(restarted(scene).phase("a")).isEqualTo(scene.phase("a"));
  }
}
