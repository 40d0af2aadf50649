package dev.muster.server.tracing;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The phases of gangs become spans, and what happens in them events.
class GangLivesTest {
  private static final String TWO_NODES = "b1/r1: n1[........] n2[........]";

  private static Instant at(long second) {
    return Scene.START.plusSeconds(second);
  }

  private static List<GangSpan> spans(Scene scene, String gang) {
    return TracedScene.spans(scene, Policies.DEFAULT, gang);
  }

  /// A gang waits 30 s for another one, runs for 60 s and ends.
  private static Scene lateGang() {
    return Scene.of(TWO_NODES)
        .arrives(gang("first").of(2, 8))
        .arrives(gang("late").of(2, 4).queue("nlp").priority(7))
        .after(Duration.ofSeconds(30))
        .ends("first")
        .after(Duration.ofSeconds(60))
        .ends("late");
  }

  @Test
  void each_phase_is_a_span_and_the_life_is_the_last() {
    assertThat(TracedScene.names(spans(lateGang(), "late")))
        .containsExactly("gathering", "waiting", "starting", "running", "gang");
  }

  @Test
  void spans_have_the_times_of_the_phases() {
    assertThat(spans(lateGang(), "late"))
        .extracting(GangSpan::start)
        .containsExactly(at(0), at(0), at(30), at(30), at(0));
    assertThat(spans(lateGang(), "late"))
        .extracting(GangSpan::end)
        .containsExactly(at(0), at(30), at(30), at(90), at(90));
  }

  @Test
  void attributes_describe_the_gang() {
    assertThat(spans(lateGang(), "late"))
        .allSatisfy(span -> {
          assertThat(span.attributes().get(TraceKeys.NAMESPACE)).isEqualTo("ml");
          assertThat(span.attributes().get(TraceKeys.UID)).isEqualTo("uid-of-late");
          assertThat(span.attributes().get(TraceKeys.QUEUE)).isEqualTo("nlp");
        });
    assertThat(spans(lateGang(), "late").getLast().attributes().asMap())
        .containsEntry(TraceKeys.MEMBERS, 2L)
        .containsEntry(TraceKeys.GPUS, 8.0)
        .containsEntry(TraceKeys.PRIORITY, 7L)
        .containsEntry(TraceKeys.OUTCOME, "Succeeded");
  }

  @Test
  void changed_reason_is_an_event_of_the_wait() {
    GangSpan waiting = spans(lateGang(), "late").get(1);
    assertThat(TracedScene.events(waiting)).startsWith("WaitingForCapacity");
    assertThat(waiting.events().getFirst().attributes().get(TraceKeys.MESSAGE))
        .contains("nvidia.com/gpu");
  }

  @Test
  void reason_that_only_counts_otherwise_is_no_event() {
    Scene scene =
        Scene.of("b1/r1: n1[........] n2[........] n3[........]")
            .arrives(gang("first").of(1, 8))
            .arrives(gang("second").of(1, 8))
            .arrives(gang("late").of(3, 8))
            .after(Duration.ofSeconds(5))
            .ends("first")
            .after(Duration.ofSeconds(5))
            .ends("second")
            .after(Duration.ofSeconds(5));
    assertThat(TracedScene.events(spans(scene, "late").get(1)))
        .filteredOn("WaitingForCapacity"::equals)
        .hasSize(1);
  }

  @Test
  void steps_of_the_start_are_events() {
    assertThat(TracedScene.events(spans(lateGang(), "late").get(2)))
        .containsExactly("ReservationWritten", "MembersStarted", "FirstMemberBound");
  }

  @Test
  void failed_member_fails_the_gang() {
    Scene scene = Scene.of(TWO_NODES).arrives(gang("bad").of(1, 8));
    scene.becomes(scene.gang("bad").members().values().getFirst(), new MemberState.Ended(false));
    GangSpan root = spans(scene, "bad").getLast();
    assertThat(root.failed()).isTrue();
    assertThat(root.attributes().get(TraceKeys.OUTCOME)).isEqualTo("Failed");
  }

  @Test
  void deleted_gang_ends_too() {
    Scene scene = Scene.of(TWO_NODES).arrives(gang("big").of(3, 8)).after(Duration.ofSeconds(5));
    for (Member member : scene.gang("big").members().values()) {
      scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
    }
    scene.then(new Event.GangGone(scene.now(), gang("big").id()));
    GangSpan root = spans(scene, "big").getLast();
    assertThat(root.name()).isEqualTo(GangSpan.ROOT);
    assertThat(root.attributes().get(TraceKeys.OUTCOME)).isEqualTo("Deleted");
  }

  @Test
  void preempted_gang_stops_and_goes_on_in_one_trace() {
    Policies policies = Policies.DEFAULT.with(new SceneEvents(Duration.ofSeconds(10)));
    Scene scene =
        Scene.of(TWO_NODES, policies)
            .arrives(gang("cheap").of(2, 8))
            .arrives(gang("urgent").of(2, 8).priority(100))
            .after(Duration.ofSeconds(30));
    GangDraft again = gang("cheap").of(2, 8);
    for (int rank = 0; rank < 2; rank++) {
      scene.then(new Event.MemberSeen(scene.now(), again.member(rank, "-again")));
    }
    scene.after(Duration.ofSeconds(10)).ends("urgent").after(Duration.ofSeconds(10)).ends("cheap");

    List<GangSpan> spans = TracedScene.spans(scene, policies, "cheap");
    assertThat(TracedScene.names(spans))
        .containsSubsequence("running", "stopping", "waiting", "starting", "running", "gang");
    assertThat(spans).extracting(GangSpan::life).containsOnly(spans.getFirst().life());
    GangSpan stopping =
        spans.stream().filter(span -> span.name().equals("stopping")).findFirst().orElseThrow();
    assertThat(stopping.attributes().asMap())
        .containsEntry(TraceKeys.CAUSE, "Preempted")
        .containsEntry(TraceKeys.PREEMPTOR, "ml/urgent")
        .containsEntry(TraceKeys.RULE, "priority");
    assertThat(TracedScene.events(spans.get(spans.indexOf(stopping) - 1))).contains("Preempted");
    assertThat(TracedScene.spans(scene, policies, "urgent"))
        .filteredOn(span -> span.name().equals("waiting"))
        .singleElement()
        .satisfies(span -> assertThat(TracedScene.events(span)).contains("Preempts"));
  }

  @Test
  void next_run_of_a_gang_is_another_trace() {
    Scene scene =
        Scene.of(TWO_NODES).arrives(gang("job").of(1, 8)).after(Duration.ofSeconds(5)).ends("job");
    scene.after(Duration.ofSeconds(5));
    scene.then(new Event.MemberSeen(scene.now(), rerun(scene.now())));
    scene.after(Duration.ofSeconds(5)).ends("job");
    List<GangSpan> roots = spans(scene, "job").stream().filter(GangSpan::isRoot).toList();
    assertThat(roots).extracting(GangSpan::start).containsExactly(at(0), at(10));
    assertThat(roots).extracting(GangSpan::life).doesNotHaveDuplicates();
  }

  private static Member rerun(Instant createdAt) {
    return gang("job").of(1, 8).createdAt(createdAt).member(0, "-again");
  }

  @Test
  void another_process_continues_the_trace() {
    List<State> states = TracedScene.states(lateGang(), Policies.DEFAULT);
    for (int death = 0; death < states.size(); death++) {
      List<GangSpan> spans = new ArrayList<>();
      GangLives first = TracedScene.lives(spans::add);
      states.subList(0, death).forEach(first::seen);
      GangLives second = TracedScene.lives(spans::add);
      states.subList(death, states.size()).forEach(second::seen);
      List<GangSpan> late =
          spans.stream()
              .filter(span -> "late".equals(span.attributes().get(TraceKeys.GANG)))
              .toList();
      assertThat(late.stream().map(GangSpan::life).distinct().count())
          .as("killed before state %d", death)
          .isLessThanOrEqualTo(1);
    }
  }

  @Test
  void running_gang_of_an_earlier_process_runs_since_it_was_bound() {
    List<State> states = TracedScene.states(lateGang(), Policies.DEFAULT);
    List<GangSpan> spans = new ArrayList<>();
    GangLives second = TracedScene.lives(spans::add);
    states.stream().filter(state -> state.cluster().now().isAfter(at(60))).forEach(second::seen);
    assertThat(spans)
        .filteredOn(span -> span.name().equals("running"))
        .extracting(GangSpan::start)
        .containsExactly(at(30));
  }

  @Test
  void image_that_was_left_out_loses_no_phase_that_lasts() {
    List<State> states = TracedScene.states(lateGang(), Policies.DEFAULT);
    List<GangSpan> spans = new ArrayList<>();
    GangLives lives = TracedScene.lives(spans::add);
    for (int i = 0; i < states.size(); i += 7) {
      lives.seen(states.get(i));
    }
    lives.seen(states.getLast());
    assertThat(spans)
        .filteredOn(span -> "late".equals(span.attributes().get(TraceKeys.GANG)))
        .extracting(GangSpan::name)
        .contains("waiting", "running", "gang");
  }

  @Test
  void one_namespace_has_a_limited_number_of_lives() {
    Cluster cluster = Cluster.empty(Scene.RACKS).apply(new Event.Synced(Scene.START));
    for (int i = 0; i < GangLives.MOST_OF_NAMESPACE + 10; i++) {
      cluster = cluster.apply(declared("greedy", i));
    }
    cluster = cluster.apply(declared("modest", 0));
    GangLives lives = TracedScene.lives(_ -> {});
    lives.seen(State.of(cluster));
    assertThat(lives.size()).isEqualTo(GangLives.MOST_OF_NAMESPACE + 1);
  }

  @Test
  void ended_gangs_make_way_for_others() {
    Cluster cluster = Cluster.empty(Scene.RACKS).apply(new Event.Synced(Scene.START));
    GangLives lives = TracedScene.lives(_ -> {});
    for (int i = 0; i < GangLives.MOST_OF_NAMESPACE + 10; i++) {
      cluster = cluster.apply(declared("busy", i));
      lives.seen(State.of(cluster));
      cluster = cluster.apply(new Event.GangGone(Scene.START, id("busy", i)));
      lives.seen(State.of(cluster));
    }
    assertThat(lives.size()).isZero();
    lives.seen(State.of(cluster.apply(declared("busy", 0))));
    assertThat(lives.size()).isEqualTo(1);
  }

  private static GangId id(String namespace, int number) {
    return new GangId(namespace, GangId.Origin.POD_GROUP, "g" + number);
  }

  private static Event declared(String namespace, int number) {
    GangId id = id(namespace, number);
    return new Event.GangSeen(Scene.START, GangSpec.of(id, 2, namespace, Scene.START));
  }
}
