package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.act.RefusedRecords;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Timeout(30)
class KubeOutboxTest extends OutboxScene {
  @Test
  void publishes_the_state_at_once() throws InterruptedException {
    State state = seen();
    perform(state);

    assertThat(outbox.get()).isSameAs(state);
  }

  @Test
  void writes_the_reservation_in_one_patch() throws InterruptedException {
    assertThat(perform(seen(), write(GANG)))
        .containsExactly(new Event.ReservationWritten(NOW, GANG, 0));

    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "PATCH",
                "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ml/podgroups/train",
                "application/merge-patch+json",
                """
                {"metadata":{"uid":"g1","annotations":{"muster.dev/reservation":"{\\"version\\":1,\\"until\\":\\"2026-11-01T10:02:00Z\\",\\"members\\":{\\"train-0\\":{\\"uid\\":\\"u0\\",\\"node\\":\\"gpu-07\\"}}}","muster.dev/ran-with":null}}}\
                """));
  }

  @Test
  void failed_reservation_write_is_reported() throws InterruptedException {
    server.answers(_ -> Reply.refused(409, "uid differs"));
    assertThat(perform(seen(), write(GANG)))
        .containsExactly(new Event.ReservationNotWritten(NOW, GANG, "409 uid differs"));

    group = Optional.empty();
    assertThat(perform(seen(), write(GANG)))
        .containsExactly(
            new Event.ReservationNotWritten(NOW, GANG, "The PodGroup ml/train does not exist."));
    assertThat(server.calls).hasSize(1);
  }

  @Test
  void equal_refusals_of_a_gang_are_logged_once() throws InterruptedException {
    server.answers(_ -> Reply.refused(429, "too many"));
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(EffectExecution.class);
    told.start();
    logger.addAppender(told);
    try {
      for (int i = 0; i < 100; i++) {
        var _ = perform(seen(), start());
      }
    } finally {
      logger.detachAppender(told);
    }

    assertThat(told.list)
        .singleElement()
        .asString()
        .contains("StartMember of ml/train: The nomination failed: 429 too many");
  }

  @Test
  void writes_nothing_while_another_instance_may_lead() throws InterruptedException {
    leads = false;

    assertThat(perform(seen(), write(GANG)))
        .containsExactly(
            new Event.ReservationNotWritten(
                NOW, GANG, "Request not sent: another Muster may be the leader by now"));
    assertThat(server.calls).isEmpty();
  }

  @Test
  void full_annotations_refuse_a_record_for_good() throws InterruptedException {
    server.answers(_ -> Reply.refused(422, "metadata.annotations: Too long"));

    assertThat(perform(seen(), write(GANG)))
        .containsExactly(
            new Event.ReservationNotWritten(
                NOW, GANG, "422 metadata.annotations: Too long", Optional.of(422)));
    assertThat(outbox.refusedRecords(RefusedRecords.Kind.RESERVATION)).isEqualTo(1);
  }

  @Test
  void object_that_was_replaced_refuses_no_record() throws InterruptedException {
    server.answers(_ -> Reply.replaced());

    String problem = "422 metadata.uid: field is immutable";
    assertThat(perform(seen(), write(GANG)))
        .containsExactly(new Event.ReservationNotWritten(NOW, GANG, problem));
  }

  @Test
  void lone_pod_needs_no_reservation_record() throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");

    assertThat(perform(seen(), write(lone)))
        .containsExactly(new Event.ReservationWritten(NOW, lone, 0));
    assertThat(server.calls).isEmpty();
  }

  @Test
  void nominates_then_removes_only_its_own_gate() throws InterruptedException {
    assertThat(perform(seen(), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));
    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "PATCH",
                "/api/v1/namespaces/ml/pods/train-0/status",
                "application/merge-patch+json",
                "{\"metadata\":{\"uid\":\"u0\"},\"status\":{\"nominatedNodeName\":\"gpu-07\"}}"),
            UNGATED);
  }

  @Test
  void removes_only_its_own_gate_from_an_unmanaged_pod() throws InterruptedException {
    outbox.open(POD);

    assertThat(outbox.await(Duration.ofSeconds(20))).isTrue();
    assertThat(server.calls).containsExactly(UNGATED);
  }

  @Test
  void revoked_promise_is_not_started() throws InterruptedException {
    outbox.perform(new Step(seen(), List.of(), List.of(start())));

    assertThat(outbox.await(Duration.ofSeconds(20))).isTrue();
    assertThat(server.calls).isEmpty();
    assertThat(mailbox.depth()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ungated_pod_is_nominated_and_touched_in_one_patch(boolean again)
      throws InterruptedException {
    var refused = new MemberState.Waiting(Optional.of(NODE).filter(_ -> again), true);

    assertThat(perform(seen(member(POD, GANG, refused)), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));

    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "PATCH",
                "/api/v1/namespaces/ml/pods/train-0/status",
                "application/merge-patch+json",
                "{\"metadata\":{\"uid\":\"u0\",\"annotations\":{\"muster.dev/nominated-at\":\"2026-11-01T10:00:00Z\"}},"
                    + "\"status\":{\"nominatedNodeName\":\"gpu-07\"}}"));
  }

  @Test
  void nominated_pod_without_refusal_is_left_in_the_queue() throws InterruptedException {
    var queued = new MemberState.Waiting(Optional.of(NODE), false);

    assertThat(perform(seen(member(POD, GANG, queued)), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));
    assertThat(server.calls).isEmpty();
  }

  @Test
  void new_ungated_lone_pod_is_left_to_the_filter_until_refused_or_older()
      throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");
    var start = new Effect.StartMember(lone, POD, NODE);

    var queued = new MemberState.Waiting(Optional.empty(), false);
    assertThat(perform(seen(member(POD, lone, queued)), start))
        .containsExactly(new Event.MemberStarted(NOW, lone, POD, NODE));
    assertThat(server.calls).isEmpty();

    var refused = new MemberState.Waiting(Optional.empty(), true);
    perform(seen(member(POD, lone, refused)), start);
    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(1);

    perform(seen(older(member(POD, lone, queued))), start);
    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(2);
  }

  private static Member older(Member pod) {
    return new Member(
        pod.id(),
        pod.gang(),
        pod.rank(),
        pod.priority(),
        pod.request(),
        pod.wishes(),
        pod.state(),
        NOW.minusSeconds(15));
  }

  @Test
  void bound_pod_is_not_started_again() throws InterruptedException {
    assertThat(perform(seen(member(POD, GANG, new MemberState.Bound(NODE, NOW))), start()))
        .isEmpty();
    assertThat(server.calls).isEmpty();
  }

  @Test
  void repeated_start_request_is_executed_once() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    server.answers(call -> {
      hold(asked);
      return new Reply(200, "{}");
    });
    outbox.perform(new Step(promised(seen(), start()), List.of(), List.of(write(GANG), start())));
    outbox.perform(new Step(promised(seen(), start()), List.of(), List.of(start())));
    asked.countDown();
    perform(promised(seen(), start()));

    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(1);
  }

  private static void hold(CountDownLatch until) {
    try {
      until.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void every_failed_start_is_an_outcome() throws InterruptedException {
    for (int code : new int[] {404, 409, 422, 429, 500, 503}) {
      server.answers(_ -> Reply.refused(code, "no"));

      assertThat(perform(seen(), start()))
          .containsExactly(
              new Event.MemberNotStarted(
                  NOW, GANG, POD, NODE, "The nomination failed: " + code + " no"));
    }
    assertThat(server.calls).as("nothing is retried behind the engine's back").hasSize(6);
  }

  /// kube-scheduler bound it meanwhile by the answer of `/filter`.
  @Test
  void nomination_of_a_pod_that_is_already_bound_is_a_success() throws InterruptedException {
    server.answers(_ ->
        Reply.refused(
            422,
            "Pod \"train-0\" is invalid: status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"));
    Member waiting = member(POD, GANG, new MemberState.Waiting(Optional.empty(), true));

    assertThat(perform(seen(waiting), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));
  }

  @Test
  void unavailable_api_server_is_an_outcome() throws InterruptedException {
    server.close();

    assertThat(perform(seen(), start()))
        .singleElement()
        .isInstanceOfSatisfying(
            Event.MemberNotStarted.class,
            failed ->
                assertThat(failed.problem())
                    .startsWith("The nomination failed: No answer from the API server: "));
  }

  @Test
  void gate_that_cannot_be_removed_is_an_outcome() throws InterruptedException {
    server.answers(call ->
        call.path().endsWith("/status")
            ? new Reply(200, "{}")
            : Reply.refused(422, "not this one"));

    assertThat(perform(seen(), start()))
        .containsExactly(
            new Event.MemberNotStarted(
                NOW, GANG, POD, NODE, "The gate could not be removed: 422 not this one"));
  }

  @Test
  void effects_of_one_gang_keep_their_order() throws InterruptedException {
    server.answers(call ->
        call.path().contains("podgroups") ? Reply.refused(500, "later") : new Reply(200, "{}"));
    perform(seen(), write(GANG), start(), new Effect.ClearReservation(GANG, Optional.empty()));

    assertThat(server.calls)
        .extracting(call -> call.path().contains("podgroups") ? "group" : "pod")
        .as(
            "the record, both parts of the start, the nomination taken back, three tries to take the record back")
        .containsExactly("group", "pod", "pod", "pod", "group", "group", "group");
    assertThat(server.calls.getLast().body())
        .isEqualTo(
            "{\"metadata\":{\"uid\":\"g1\",\"annotations\":{\"muster.dev/reservation\":null}}}");
  }

  @Test
  void evicts_through_the_eviction_api() throws InterruptedException {
    perform(
        seen(),
        new Effect.Evict(
            GANG, POD, "NotBoundInTime", "After 2m only 1 of 2.", Effect.Ending.PLAIN));

    assertThat(server.calls("POST", "/eviction").getFirst().body())
        .isEqualTo(
            "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"train-0\",\"namespace\":\"ml\"},\"deleteOptions\":{\"preconditions\":{\"uid\":\"u0\"}}}");
    assertThat(server.calls("POST", "/events"))
        .singleElement()
        .satisfies(
            event -> assertThat(event.body()).contains("\"note\":\"After 2m only 1 of 2.\""));
  }

  @Test
  void eviction_blocked_by_a_budget_is_not_waited_for() throws InterruptedException {
    server.answers(
        call -> call.path().endsWith("/eviction") ? Reply.overBudget("no") : new Reply(201, "{}"));

    assertThat(perform(seen(), new Effect.Evict(GANG, POD, "r", "m", Effect.Ending.PLAIN)))
        .containsExactly(new Event.MemberNotEvicted(NOW, GANG, POD, true, "429 no"));
    assertThat(server.calls("POST", "/eviction")).hasSize(1);
  }

  @Test
  void eviction_of_a_replaced_pod_is_abandoned() throws InterruptedException {
    server.answers(_ -> Reply.refused(409, "uid"));
    perform(seen(), new Effect.Evict(GANG, POD, "r", "m", Effect.Ending.PLAIN));

    assertThat(server.calls("POST", "/eviction")).hasSize(1);
  }
}
