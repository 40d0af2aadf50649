package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Timeout(30)
class KubeOutboxNoticesTest extends OutboxScene {
  private static final GangId LONE = new GangId("ml", Origin.POD, "train-0");
  private static final State LONE_HELD = seen(member(POD, LONE, new MemberState.Held(false)));

  @Test
  void status_goes_to_the_pod_group_and_reasons_to_its_pods() throws InterruptedException {
    Member waiting = member(POD, GANG, new MemberState.Waiting(Optional.empty(), false));
    perform(seen(waiting), publish(GANG, GangPhase.PENDING, "WaitingForCapacity"));

    assertThat(server.calls("PATCH", "/podgroups/train/status"))
        .singleElement()
        .satisfies(call ->
            assertThat(call.body())
                .isEqualTo(
                    """
                    {"metadata":{"uid":"g1"},"status":{"phase":"Pending","running":1,"succeeded":0,"failed":0,"conditions":[{"type":"Admitted","status":"False","reason":"WaitingForCapacity","message":"Needs 16 GPUs.","lastTransitionTime":"2026-11-01T10:00:00Z"}]}}\
                    """));
    assertThat(server.calls("POST", "/apis/events.k8s.io/v1/namespaces/ml/events"))
        .hasSize(2)
        .allSatisfy(call ->
            assertThat(call.body())
                .contains("\"reason\":\"WaitingForCapacity\"")
                .contains("\"reportingController\":\"muster.dev/scheduler\"")
                .contains("\"type\":\"Warning\""))
        .anySatisfy(call -> assertThat(call.body()).contains("\"kind\":\"PodGroup\""))
        .anySatisfy(
            call -> assertThat(call.body()).contains("\"kind\":\"Pod\"").contains("\"u0\""));
  }

  @Test
  void reason_of_a_lone_pod_is_not_written_when_a_gang_has_taken_it() throws InterruptedException {
    outbox.perform(
        new Step(
            LONE_HELD, List.of(), List.of(publish(LONE, GangPhase.PENDING, "WaitingForCapacity"))));
    perform(seen(member(POD, GANG, new MemberState.Held(false))));

    assertThat(server.calls("PATCH", "/pods/train-0/status")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 403})
  void unmanaged_pods_of_a_namespace_have_one_line_in_the_log(int status) throws Exception {
    server.answers(_ -> Reply.refused(status, "message"));
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(EffectExecution.class);
    told.start();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(told);
    try {
      for (int i = 0; i < 100; i++) {
        outbox.open(new MemberId(i < 99 ? "ml" : "other", "stray-" + i, "u" + i));
      }
      assertThat(outbox.await(Duration.ofSeconds(20))).isTrue();
    } finally {
      logger.detachAppender(told);
      logger.setLevel(before);
    }

    assertThat(server.calls).hasSize(100);
    assertThat(told.list).hasSize(2);
  }

  @Test
  void problem_of_a_gang_is_an_event_on_its_pod_group() throws InterruptedException {
    perform(seen(), new Effect.Report(GANG, Optional.empty(), "NodeAvoided", "n1 failed."));

    assertThat(server.calls("POST", "/apis/events.k8s.io/v1/namespaces/ml/events"))
        .singleElement()
        .satisfies(call ->
            assertThat(call.body())
                .contains("\"reason\":\"NodeAvoided\"")
                .contains("\"note\":\"n1 failed.\"")
                .contains("\"kind\":\"PodGroup\""));
  }

  @Test
  void problem_of_a_lone_pod_is_an_event_on_it() throws InterruptedException {
    perform(LONE_HELD, new Effect.Report(LONE, Optional.empty(), "NodeAvoided", "n1 failed."));

    assertThat(server.calls("POST", "/apis/events.k8s.io/v1/namespaces/ml/events"))
        .singleElement()
        .satisfies(call -> assertThat(call.body()).contains("\"kind\":\"Pod\""));
  }

  @Test
  void problem_of_a_node_is_an_event_that_its_description_shows() throws InterruptedException {
    perform(seen(), new Effect.Report(GANG, Optional.of(NODE), "GangsAvoidNode", "3 gangs."));

    assertThat(server.calls("POST", "/apis/events.k8s.io/v1/namespaces/default/events"))
        .singleElement()
        .satisfies(call ->
            assertThat(call.body())
                .contains("\"kind\":\"Node\"")
                .contains("\"uid\":\"" + NODE.name() + "\""));
  }

  @Test
  void unchanged_reason_is_not_written_again() throws InterruptedException {
    State state = seen(member(POD, GANG, new MemberState.Waiting(Optional.empty(), false)));
    perform(state, publish(GANG, GangPhase.PENDING, "Fragmented"));
    perform(state, publish(GANG, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("PATCH", "/status")).hasSize(2);
    assertThat(server.calls("POST", "/events")).hasSize(2);
  }

  /// The PodGroup gets that Event when it is read.
  @Test
  void invalid_pod_group_gets_no_second_event_by_its_status() throws InterruptedException {
    var mistakes = Discrepancies.ofDeclaration("The field x is (y).");
    State state = seen(member(POD, GANG, new MemberState.Held(false)));
    var cluster = state.cluster().apply(new Event.DiscrepanciesSeen(NOW, GANG, mistakes));
    perform(state.with(cluster), publish(GANG, GangPhase.PENDING, "InvalidSpecification"));

    assertThat(server.calls("POST", "/events"))
        .singleElement()
        .satisfies(call -> assertThat(call.body()).contains("\"kind\":\"Pod\""));
  }

  @Test
  void notices_delayed_by_a_busy_api_server_are_written_later() throws InterruptedException {
    server.answers(call ->
        call.is("PATCH", "/status") && server.calls("PATCH", "/status").size() == 1
            ? Reply.refused(429, "too many requests")
            : new Reply(200, "{}"));
    perform(seen(), publish(GANG, GangPhase.BOUND, "Running"));

    assertThat(server.calls("PATCH", "/podgroups/train/status"))
        .hasSize(2)
        .allSatisfy(call -> assertThat(call.body()).contains("\"phase\":\"Scheduling\""));
    assertThat(server.calls("POST", "/events")).hasSize(1);
  }

  @Test
  void notice_refused_by_the_api_server_is_not_repeated() throws InterruptedException {
    server.answers(call -> Reply.refused(422, "unknown field"));
    perform(seen(), publish(GANG, GangPhase.BOUND, "Running"));

    assertThat(server.calls("PATCH", "/podgroups/train/status")).hasSize(1);
  }

  @Test
  void new_object_of_the_same_name_gets_the_notice_again() throws InterruptedException {
    perform(seen(), publish(GANG, GangPhase.PENDING, "Fragmented"));
    group.orElseThrow().getMetadata().setUid("g2");
    perform(seen(), publish(GANG, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("POST", "/events"))
        .extracting(call -> call.body().contains("\"uid\":\"g2\""))
        .containsExactly(false, true);
  }

  @Test
  void notices_of_a_deleted_gang_are_forgotten() throws InterruptedException {
    showWithManyOthers();
    perform(seen());
    perform(LONE_HELD, publish(LONE, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("POST", "/events")).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "300, 1"})
  void pods_get_no_events_while_many_gangs_have_news(int others, int events)
      throws InterruptedException {
    Member first = member(POD, GANG, new MemberState.Held(false));
    Member second = member(new MemberId("ml", "train-1", "u1"), GANG, new MemberState.Held(false));
    List<Effect> news = new ArrayList<>();
    news.add(publish(GANG, GangPhase.PENDING, "Fragmented"));
    for (int i = 0; i < others; i++) {
      news.add(publish(new GangId("ml", Origin.POD, "p" + i), GangPhase.PENDING, "Fragmented"));
    }

    perform(seen(first, second), news.toArray(Effect[]::new));

    assertThat(server.calls("POST", "/events")).hasSize(events);
  }

  @Test
  void notices_of_an_existing_gang_are_remembered() throws InterruptedException {
    showWithManyOthers();
    perform(LONE_HELD, publish(LONE, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("POST", "/events")).hasSize(1);
  }

  private void showWithManyOthers() throws InterruptedException {
    perform(LONE_HELD, publish(LONE, GangPhase.PENDING, "Fragmented"));
    perform(LONE_HELD, others());
  }

  /// Of more gangs than are remembered when they are gone.
  private static Effect[] others() {
    return IntStream.range(0, 1_010)
        .mapToObj(i -> new GangId("ml", Origin.POD_GROUP, "other-" + i))
        .map(other -> publish(other, GangPhase.BOUND, "Running"))
        .toArray(Effect[]::new);
  }

  @Test
  void notice_written_before_a_restart_is_not_repeated() throws InterruptedException {
    group =
        Optional.of(
            group(
                "status: {conditions: [{type: Admitted, status: 'False', reason: Fragmented, lastTransitionTime: '2026-10-01T00:00:00Z'}]}"));
    perform(seen(), publish(GANG, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("POST", "/events")).isEmpty();
    assertThat(server.calls.getFirst().body())
        .contains("\"lastTransitionTime\":\"2026-10-01T00:00:00Z\"");
  }

  @Test
  void lone_pod_has_its_own_condition_and_is_patched_only_for_new_reasons()
      throws InterruptedException {
    State state = seen(member(POD, LONE, new MemberState.Waiting(Optional.empty(), false)));
    perform(state, publish(LONE, GangPhase.PENDING, "Fragmented"));
    perform(state, publish(LONE, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("PATCH", ""))
        .singleElement()
        .satisfies(call -> {
          assertThat(call.path()).isEqualTo("/api/v1/namespaces/ml/pods/train-0/status");
          assertThat(call.contentType()).isEqualTo("application/strategic-merge-patch+json");
          assertThat(call.body())
              .contains("\"metadata\":{\"uid\":\"u0\"}")
              .contains("\"type\":\"muster.dev/Admitted\"");
        });
  }

  @Test
  void gated_lone_pod_gets_the_newest_numbers() throws InterruptedException {
    perform(LONE_HELD, publish(LONE, GangPhase.PENDING, "Fragmented"));
    perform(LONE_HELD, publish(LONE, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(2);
    assertThat(server.calls("POST", "/events")).hasSize(1);
  }

  @Test
  void bound_lone_pod_loses_its_waiting_condition() throws InterruptedException {
    perform(LONE_HELD, publish(LONE, GangPhase.PENDING, "Fragmented"));
    State bound = seen(member(POD, LONE, new MemberState.Bound(NODE, NOW)));
    perform(bound, publish(LONE, GangPhase.BOUND, "Bound"));
    perform(bound, publish(LONE, GangPhase.BOUND, "Running"));

    assertThat(server.calls("PATCH", "/pods/train-0/status"))
        .extracting(call -> call.body().contains("\"status\":\"True\""))
        .containsExactly(false, true);
  }

  @Test
  void bound_lone_pod_loses_the_condition_of_an_earlier_run() throws InterruptedException {
    State bound = seen(member(POD, LONE, new MemberState.Bound(NODE, NOW)));
    said =
        Optional.of(
            new PodConditionBuilder()
                .withType("muster.dev/Admitted")
                .withStatus("False")
                .withReason("Fragmented")
                .build());
    perform(bound, publish(LONE, GangPhase.BOUND, "Bound"));

    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(1);
  }

  @Test
  void lone_pod_that_starts_at_once_is_not_patched() throws InterruptedException {
    State state = seen(member(POD, LONE, new MemberState.Bound(NODE, NOW)));
    perform(
        state, publish(LONE, GangPhase.RESERVED, "Admitted"), publish(LONE, GangPhase.BOUND, "B"));

    assertThat(server.calls).isEmpty();
  }

  @Test
  void problem_becomes_an_event_on_its_object() throws InterruptedException {
    outbox.report(
        new ObjectProblem(ObjectRef.to(group("")), ObjectProblem.INVALID, "é".repeat(1000)));
    perform(seen());

    assertThat(server.calls("POST", "/namespaces/ml/events"))
        .singleElement()
        .satisfies(call ->
            assertThat(call.body())
                .contains("\"name\":\"train\"")
                .contains("\"uid\":\"g1\"")
                .contains("\"eventTime\":\"2026-11-01T10:00:00.000000Z\"")
                .contains("\"note\":\"" + "é".repeat(512) + "\""));
  }

  @Test
  void problem_is_reported_once_the_api_server_is_available() throws InterruptedException {
    server.answers(_ ->
        server.calls("POST", "/events").size() < 3
            ? Reply.refused(503, "later")
            : new Reply(201, "{}"));
    outbox.report(new ObjectProblem(ObjectRef.to(group("")), ObjectProblem.INVALID, "No."));
    perform(seen());

    assertThat(server.calls("POST", "/events")).hasSize(3);
  }

  @Test
  void problem_without_permission_to_report_is_not_repeated() throws InterruptedException {
    server.answers(_ -> Reply.refused(403, "no"));
    outbox.report(new ObjectProblem(ObjectRef.to(group("")), ObjectProblem.INVALID, "No."));
    perform(seen());

    assertThat(server.calls("POST", "/events")).hasSize(1);
  }
}
