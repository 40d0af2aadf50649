package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.server.kube.act.EventWriter;
import dev.muster.server.kube.act.StatusWriter;
import dev.muster.server.kube.client.ApiCalls;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A waiting member of a gang has a condition as a lone pod does, within a limit of writes.
@Timeout(30)
class MemberConditionsTest extends OutboxScene {
  private static final MemberState HELD = new MemberState.Held(false);
  private static final String PODS = "/api/v1/namespaces/ml/pods/";

  private static State gang(MemberState... states) {
    return seen(
        IntStream.range(0, states.length)
            .mapToObj(i -> member(new MemberId("ml", "train-" + i, "u" + i), GANG, states[i]))
            .toArray(Member[]::new));
  }

  private void shows(String status, String reason, String message) {
    said =
        Optional.of(
            new PodConditionBuilder()
                .withType("muster.dev/Admitted")
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .build());
  }

  private static Effect.Publish waits(GangPhase phase) {
    return publish(GANG, phase, "Fragmented");
  }

  @Test
  void each_gated_member_of_a_waiting_gang_tells_why() throws InterruptedException {
    perform(gang(HELD, HELD), waits(GangPhase.PENDING));
    assertThat(server.calls("PATCH", PODS))
        .hasSize(2)
        .allSatisfy(call ->
            assertThat(call.body())
                .contains("\"type\":\"muster.dev/Admitted\",\"status\":\"False\"")
                .contains("\"reason\":\"Fragmented\",\"message\":\"Needs 16 GPUs.\""));
  }

  /// So a gang of many pods delays the reasons of other namespaces by a call only.
  @Test
  void others_may_go_first_between_all_calls_of_a_status() {
    AtomicInteger passes = new AtomicInteger();
    ApiCalls api = new ApiCalls(client);
    InstantSource clock = InstantSource.fixed(NOW);
    StatusWriter writer =
        new StatusWriter(
            api, new EventWriter(api, clock), new Shown(), clock, passes::incrementAndGet);
    List<Member> members = List.copyOf(gang(HELD, HELD).cluster().gang(GANG).members().values());
    writer.write(new StatusWriter.Notice(waits(GangPhase.PENDING), members, GangPast.NONE, false));

    assertThat(passes).hasValue(server.calls.size() - 1).hasValue(5);
  }

  @Test
  void member_that_waits_while_others_run_tells_why() throws InterruptedException {
    perform(gang(new MemberState.Bound(NODE, NOW), HELD), waits(GangPhase.BOUND));
    assertThat(server.calls("PATCH", PODS))
        .singleElement()
        .satisfies(call -> assertThat(call.path()).contains("train-1"));
  }

  @Test
  void event_goes_to_the_member_that_waits_and_not_to_those_that_run() throws InterruptedException {
    perform(gang(new MemberState.Bound(NODE, NOW), HELD), waits(GangPhase.BOUND));
    assertThat(server.calls("POST", "/events"))
        .hasSize(2)
        .anySatisfy(
            call -> assertThat(call.body()).contains("\"name\":\"train-1\"").contains("Warning"))
        .noneSatisfy(call -> assertThat(call.body()).contains("\"name\":\"train-0\""));
  }

  @Test
  void ungated_member_is_left_to_kube_scheduler() throws InterruptedException {
    perform(gang(new MemberState.Waiting(Optional.empty(), true)), waits(GangPhase.PENDING));
    assertThat(server.calls("PATCH", PODS)).isEmpty();
  }

  @Test
  void known_reason_is_not_written_again() throws InterruptedException {
    shows("False", "Fragmented", "Needs 24 GPUs.");
    perform(gang(HELD, HELD), waits(GangPhase.PENDING));
    assertThat(server.calls("PATCH", PODS)).isEmpty();
  }

  @Test
  void new_sentence_is_written_while_others_run() throws InterruptedException {
    shows("False", "Fragmented", "Needs 24 GPUs.");
    perform(gang(HELD), waits(GangPhase.BOUND));
    assertThat(server.calls("PATCH", PODS)).hasSize(1);
  }

  @Test
  void bound_member_waits_no_more() throws InterruptedException {
    shows("False", "Fragmented", "Needs 16 GPUs.");
    perform(gang(new MemberState.Bound(NODE, NOW)), publish(GANG, GangPhase.BOUND, "Running"));
    assertThat(server.calls("PATCH", PODS))
        .singleElement()
        .satisfies(call -> assertThat(call.body()).contains("\"status\":\"True\""));
  }

  @Test
  void members_of_a_gang_that_grows_are_not_told() throws InterruptedException {
    perform(gang(HELD, HELD), waits(GangPhase.GATHERING));
    assertThat(server.calls("PATCH", PODS)).isEmpty();
    assertThat(server.calls("PATCH", "/podgroups/train")).isNotEmpty();
  }

  @Test
  void event_of_a_gang_that_grows_is_on_its_pod_group_alone() throws InterruptedException {
    perform(gang(HELD, HELD), waits(GangPhase.GATHERING));
    assertThat(server.calls("POST", "/events"))
        .singleElement()
        .satisfies(call -> assertThat(call.body()).contains("\"kind\":\"PodGroup\""));
  }

  @Test
  void members_are_told_when_the_gang_has_not_grown_for_a_while() throws InterruptedException {
    State gathering = gang(HELD, HELD);
    perform(gathering, waits(GangPhase.GATHERING));
    int events = server.calls("POST", "/events").size();

    perform(later(gathering, Duration.ofSeconds(5)));

    assertThat(server.calls("PATCH", PODS)).hasSize(2);
    assertThat(server.calls("POST", "/events")).hasSize(events + 2);
  }

  @Test
  void members_get_one_event_however_often_the_number_changes() throws InterruptedException {
    perform(gang(HELD, HELD), waits(GangPhase.PENDING));
    perform(gang(HELD, HELD), waits(GangPhase.PENDING));
    assertThat(server.calls("POST", "/events")).hasSize(3);
  }

  @Test
  void members_of_a_gang_that_has_started_meanwhile_are_never_told() throws InterruptedException {
    State gathering = gang(HELD, HELD);
    perform(gathering, waits(GangPhase.GATHERING));
    perform(gathering, publish(GANG, GangPhase.RESERVED, "Starting"));

    perform(later(gathering, Duration.ofSeconds(5)));

    assertThat(server.calls("PATCH", PODS)).isEmpty();
  }

  private static State later(State state, Duration time) {
    return state.with(state.cluster().apply(new Event.Tick(state.cluster().now().plus(time))));
  }

  @Test
  void writes_of_a_large_gang_are_limited() throws InterruptedException {
    MemberState[] many = IntStream.range(0, 100).mapToObj(_ -> HELD).toArray(MemberState[]::new);
    perform(gang(many), waits(GangPhase.PENDING));
    assertThat(server.calls("PATCH", PODS)).hasSize(64);
  }
}
