package dev.muster.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Questions of kube-scheduler that come late are reported before the reservation ends.
class SchedulerQuestionsTest {
  private static final Instant START = Instant.parse("2026-11-01T10:00:00Z");
  private static final GangId GANG = new GangId("ml", Origin.POD_GROUP, "train");

  private Instant now = START;
  private final SchedulerQuestions questions = new SchedulerQuestions(() -> now);
  private State state = reserved();

  private static Member member(String gang, int index) {
    return member(gang, index, new MemberState.Waiting(Optional.empty(), false));
  }

  private static Member member(String gang, int index, MemberState pod) {
    return new Member(
        new MemberId("ml", gang + index, gang + index),
        new GangId("ml", Origin.POD_GROUP, gang),
        index,
        0,
        Request.of(Resources.of("pods", 1), 1),
        GangConstraints.NONE,
        pod,
        START);
  }

  /// A state in which two members are promised a node for two minutes.
  private static State reserved() {
    return promised(State.empty(new Topology(List.of())), "train", START);
  }

  private static State promised(State state, String gang, Instant at) {
    var cluster = state.cluster();
    GangId id = new GangId("ml", Origin.POD_GROUP, gang);
    Reservation held = Reservation.open(id, at, at.plusSeconds(120));
    for (int i = 0; i < 2; i++) {
      Member member = member(gang, i);
      cluster = cluster.apply(new Event.MemberSeen(START, member));
      held = held.with(Promise.keep(member.id(), new NodeId("n" + i), at));
    }
    return state.with(cluster.with(held));
  }

  private List<Event.StartDelayed> after(Duration time) {
    now = START.plus(time);
    state = state.with(state.cluster().apply(new Event.Tick(now)));
    return questions.due(state, _ -> true);
  }

  private void isBusy() {
    for (int i = 0; i < SchedulerQuestions.BUSY; i++) {
      asks(Duration.ofSeconds(100), member("other", i));
    }
  }

  /// Asks many times about each of these pods shortly before the reservation ends.
  private void isFlooded(List<Member> pods) {
    for (int i = 0; i < 20 * SchedulerQuestions.BUSY; i++) {
      asks(Duration.ofSeconds(100), pods.get(i % pods.size()));
    }
  }

  private static List<Member> pods(int number, MemberState pod) {
    return IntStream.range(0, number).mapToObj(i -> member("other", i, pod)).toList();
  }

  private void asks(Duration at, Member member) {
    now = START.plus(at);
    questions.asked(state, member);
  }

  @Test
  void member_that_was_not_asked_about_is_reported_while_kube_scheduler_is_busy() {
    asks(Duration.ofSeconds(1), member("train", 0));
    isBusy();
    assertThat(after(Duration.ofSeconds(104))).as("long before the end").isEmpty();
    assertThat(after(Duration.ofSeconds(106)))
        .containsExactly(new Event.StartDelayed(now, GANG, now));
  }

  @Test
  void member_is_waited_for_while_kube_scheduler_works_off_a_backlog_of_20_000_pods() {
    for (int i = 0; i < 20_000 && now.isBefore(START.plusSeconds(106)); i++) {
      asks(Duration.ofMillis(40L * i), member("other", i));
    }
    assertThat(after(Duration.ofSeconds(106)))
        .containsExactly(new Event.StartDelayed(now, GANG, now));
  }

  @Test
  void repeated_questions_about_fewer_pods_show_no_backlog() {
    isFlooded(pods(SchedulerQuestions.BUSY - 1, new MemberState.Waiting(Optional.empty(), false)));
    assertThat(after(Duration.ofSeconds(106))).isEmpty();
  }

  @Test
  void questions_about_pods_that_kube_scheduler_does_not_see_show_no_backlog() {
    isFlooded(pods(2 * SchedulerQuestions.BUSY, new MemberState.Held(false)));
    assertThat(after(Duration.ofSeconds(106))).isEmpty();
  }

  @Test
  void questions_about_bound_pods_show_no_backlog() {
    isFlooded(pods(2 * SchedulerQuestions.BUSY, new MemberState.Bound(new NodeId("n0"), START)));
    assertThat(after(Duration.ofSeconds(106))).isEmpty();
  }

  @Test
  void nothing_is_reported_while_kube_scheduler_has_time() {
    asks(Duration.ofSeconds(1), member("train", 0));
    asks(Duration.ofSeconds(100), member("other", 0));
    assertThat(after(Duration.ofSeconds(106))).isEmpty();
  }

  @Test
  void member_is_waited_for_while_a_slow_kube_scheduler_comes_to_others_promised_as_early() {
    state = promised(state, "other", START);
    asks(Duration.ofSeconds(1), member("train", 0));
    asks(Duration.ofSeconds(90), member("other", 0));
    assertThat(after(Duration.ofSeconds(106)))
        .containsExactly(new Event.StartDelayed(now, GANG, now));
  }

  @Test
  void member_is_not_waited_for_after_kube_scheduler_came_to_pods_promised_later() {
    state = promised(state, "later", START.plusSeconds(50));
    asks(Duration.ofSeconds(1), member("train", 0));
    asks(Duration.ofSeconds(90), member("later", 0));
    assertThat(after(Duration.ofSeconds(106))).isEmpty();
  }

  @Test
  void first_questions_of_long_ago_show_no_backlog() {
    state = promised(state, "other", START);
    asks(Duration.ofSeconds(70), member("other", 0));
    asks(Duration.ofSeconds(105), member("other", 0));
    assertThat(after(Duration.ofSeconds(106))).isEmpty();
  }

  @Test
  void latest_first_question_is_reported_once() {
    asks(Duration.ofSeconds(2), member("train", 0));
    asks(Duration.ofSeconds(90), member("train", 1));
    asks(Duration.ofSeconds(100), member("train", 0));
    assertThat(after(Duration.ofSeconds(106)))
        .containsExactly(new Event.StartDelayed(now, GANG, START.plusSeconds(90)));
    assertThat(after(Duration.ofSeconds(107))).isEmpty();
  }

  @Test
  void member_about_which_kube_scheduler_never_asks_is_not_waited_for() {
    isBusy();
    now = START.plusSeconds(106);
    state = state.with(state.cluster().apply(new Event.Tick(now)));
    assertThat(questions.due(state, _ -> false)).isEmpty();
  }
}
