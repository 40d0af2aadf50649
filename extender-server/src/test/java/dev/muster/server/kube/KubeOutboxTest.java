package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.engine.Effect;
import dev.muster.core.engine.GangStatus;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Wishes;
import dev.muster.core.topology.Topology;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class KubeOutboxTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final GangId GANG = new GangId("ml", Origin.POD_GROUP, "train");
  private static final NodeId NODE = new NodeId("gpu-07");
  private static final MemberId POD = new MemberId("ml", "train-0", "u0");

  private final ScriptedApi server = new ScriptedApi();
  private final KubernetesClient client = server.client();
  private final Mailbox mailbox = new Mailbox(100);
  private Optional<GenericKubernetesResource> group = Optional.of(group(""));
  private Optional<PodCondition> said = Optional.empty();
  private final KubeOutbox outbox =
      new KubeOutbox(
          new KubeOutbox.Ends(client, mailbox, new Shown(), InstantSource.fixed(NOW)),
          State.empty(new Topology(List.of())),
          new Retries(List.of(Duration.ofMillis(1), Duration.ofMillis(1))));

  /// What the objects in the cluster show.
  private final class Shown implements GangObjects {
    @Override
    public Optional<GenericKubernetesResource> find(GangId gang) {
      return gang.equals(GANG) ? group : Optional.empty();
    }

    @Override
    public Optional<PodCondition> admitted(MemberId pod) {
      return said;
    }
  }

  @AfterEach
  void close() {
    outbox.close();
    client.close();
    server.close();
  }

  private static GenericKubernetesResource group(String status) {
    return Yaml.group(
        """
        apiVersion: scheduling.x-k8s.io/v1alpha1
        kind: PodGroup
        metadata: {namespace: ml, name: train, uid: g1}
        spec: {minMember: 2}
        %s
        """
            .formatted(status));
  }

  private static Member member(MemberId id, GangId gang, MemberState state) {
    Request request = Request.of(Resources.of("pods", 1), 0);
    return new Member(id, gang, 0, 0, request, Wishes.NONE, state, NOW);
  }

  /// A state in which these members were seen.
  private static State seen(Member... members) {
    Cluster cluster = Cluster.empty(new Topology(List.of()));
    for (Member member : members) {
      cluster = cluster.apply(new Event.MemberSeen(NOW, member));
    }
    return State.of(cluster);
  }

  private List<Event> perform(State state, Effect... effects) throws InterruptedException {
    outbox.perform(new Step(state, List.of(), List.of(effects)));
    assertThat(outbox.await(Duration.ofSeconds(20))).isTrue();
    List<Event> events = new ArrayList<>();
    while (mailbox.depth() > 0) {
      events.add(mailbox.next().orElseThrow());
    }
    return events;
  }

  private static Effect.StartMember start() {
    return new Effect.StartMember(GANG, POD, NODE);
  }

  private static Effect.WriteReservation write(GangId gang) {
    Reservation reservation =
        Reservation.open(gang, NOW, NOW.plusSeconds(120)).with(Promise.keep(POD, NODE, NOW));
    return new Effect.WriteReservation(gang, reservation);
  }

  private static Effect.Publish publish(GangId gang, GangPhase phase, String reason) {
    var status = new GangStatus(phase, 2, 2, 1, 0, 0, reason, "Needs 16 GPUs.");
    return new Effect.Publish(gang, Optional.empty(), status);
  }

  @Test
  void publishesTheStateAtOnce() throws InterruptedException {
    State state = seen();
    perform(state);

    assertThat(outbox.get()).isSameAs(state);
  }

  @Test
  void writesTheReservationInOnePatch() throws InterruptedException {
    assertThat(perform(seen(), write(GANG)))
        .containsExactly(new Event.ReservationWritten(NOW, GANG, 0));

    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "PATCH",
                "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ml/podgroups/train",
                "application/merge-patch+json",
                """
                {"metadata":{"annotations":{"muster.dev/reservation":"{\\"version\\":1,\\"until\\":\\"2026-11-01T10:02:00Z\\",\\"members\\":{\\"train-0\\":{\\"uid\\":\\"u0\\",\\"node\\":\\"gpu-07\\"}}}"},"uid":"g1"}}\
                """));
  }

  @Test
  void saysWhyTheReservationWasNotWritten() throws InterruptedException {
    server.answers(_ -> Reply.refused(409, "uid differs"));
    assertThat(perform(seen(), write(GANG)))
        .containsExactly(new Event.ReservationNotWritten(NOW, GANG, "409 uid differs"));

    group = Optional.empty();
    assertThat(perform(seen(), write(GANG)))
        .containsExactly(
            new Event.ReservationNotWritten(
                NOW, GANG, "The PodGroup ml/train does not exist. Maybe it was deleted."));
    assertThat(server.calls).hasSize(1);
  }

  @Test
  void lonePodHasNothingToBeWrittenOn() throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");

    assertThat(perform(seen(), write(lone)))
        .containsExactly(new Event.ReservationWritten(NOW, lone, 0));
    assertThat(server.calls).isEmpty();
  }

  @Test
  void nominatesThenTakesOnlyOurGateOff() throws InterruptedException {
    server.answers(call ->
        new Reply(
            200,
            "{\"spec\":{\"schedulingGates\":[{\"name\":\"other\"},{\"name\":\"muster.dev/gang\"}]}}"));

    assertThat(perform(seen(), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));
    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "PATCH",
                "/api/v1/namespaces/ml/pods/train-0/status",
                "application/json-patch+json",
                """
                [{"op":"test","path":"/metadata/uid","value":"u0"},{"op":"add","path":"/status/nominatedNodeName","value":"gpu-07"}]\
                """),
            new ScriptedApi.Call(
                "PATCH",
                "/api/v1/namespaces/ml/pods/train-0",
                "application/json-patch+json",
                """
                [{"op":"test","path":"/metadata/uid","value":"u0"},{"op":"test","path":"/spec/schedulingGates/1/name","value":"muster.dev/gang"},{"op":"remove","path":"/spec/schedulingGates/1"}]\
                """));
  }

  @Test
  void podWithoutGateIsWokenByTheNominationAlone() throws InterruptedException {
    assertThat(perform(seen(), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));
    assertThat(server.calls).hasSize(1);
  }

  @Test
  void podThatAlreadyShowsTheNominationIsTouchedToWakeIt() throws InterruptedException {
    var nominated = new MemberState.Waiting(Optional.of(NODE), true);
    perform(seen(member(POD, GANG, nominated)), start());

    assertThat(server.calls("PATCH", "/pods/train-0")).hasSize(2);
    assertThat(server.calls.getLast().body())
        .isEqualTo(
            "{\"metadata\":{\"annotations\":{\"muster.dev/nominated-at\":\"2026-11-01T10:00:00Z\"},\"uid\":\"u0\"}}");
  }

  @Test
  void podThatStandsNominatedAndWasNotRefusedIsLeftInTheQueue() throws InterruptedException {
    var queued = new MemberState.Waiting(Optional.of(NODE), false);

    assertThat(perform(seen(member(POD, GANG, queued)), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));
    assertThat(server.calls).isEmpty();
  }

  @Test
  void boundPodIsNotStartedAgain() throws InterruptedException {
    assertThat(perform(seen(member(POD, GANG, new MemberState.Bound(NODE, NOW))), start()))
        .isEmpty();
    assertThat(server.calls).isEmpty();
  }

  @Test
  void startThatIsAskedForAgainWhileItWaitsIsDoneOnce() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    server.answers(call -> {
      hold(asked);
      return new Reply(200, "{}");
    });
    outbox.perform(new Step(seen(), List.of(), List.of(write(GANG), start())));
    outbox.perform(new Step(seen(), List.of(), List.of(start())));
    asked.countDown();
    perform(seen());

    assertThat(server.calls("PATCH", "/pods/train-0")).hasSize(1);
  }

  private static void hold(CountDownLatch until) {
    try {
      until.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void everyFailureToStartIsAnOutcome() throws InterruptedException {
    for (int code : new int[] {404, 409, 422, 429, 500, 503}) {
      server.answers(_ -> Reply.refused(code, "no"));

      assertThat(perform(seen(), start()))
          .containsExactly(
              new Event.MemberNotStarted(
                  NOW, GANG, POD, NODE, "The nomination failed: " + code + " no"));
    }
    assertThat(server.calls).as("nothing is retried behind the engine's back").hasSize(6);
  }

  @Test
  void serverThatIsAwayIsAnOutcome() throws InterruptedException {
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
  void gateThatCannotBeRemovedIsAnOutcome() throws InterruptedException {
    server.answers(call ->
        call.path().endsWith("/status")
            ? new Reply(200, "{\"spec\":{\"schedulingGates\":[{\"name\":\"muster.dev/gang\"}]}}")
            : Reply.refused(422, "the test failed"));

    assertThat(perform(seen(), start()))
        .containsExactly(
            new Event.MemberNotStarted(
                NOW, GANG, POD, NODE, "The gate could not be removed: 422 the test failed"));
  }

  @Test
  void effectsOfOneGangKeepTheirOrder() throws InterruptedException {
    server.answers(call ->
        call.path().contains("podgroups") ? Reply.refused(500, "later") : new Reply(200, "{}"));
    perform(seen(), write(GANG), start(), new Effect.ClearReservation(GANG));

    assertThat(server.calls)
        .extracting(call -> call.path().contains("podgroups") ? "group" : "pod")
        .containsExactly("group", "pod", "group", "group", "group");
    assertThat(server.calls.getLast().body())
        .isEqualTo(
            "{\"metadata\":{\"annotations\":{\"muster.dev/reservation\":null},\"uid\":\"g1\"}}");
  }

  @Test
  void clearingAReservationFirstTakesTheNominationsBackThatNobodyUsed()
      throws InterruptedException {
    Member held = member(POD, GANG, new MemberState.Held(false));
    Member bound =
        member(new MemberId("ml", "train-1", "u1"), GANG, new MemberState.Bound(NODE, NOW));

    perform(seen(held, bound), new Effect.ClearReservation(GANG));

    assertThat(server.calls)
        .extracting(ScriptedApi.Call::path)
        .containsExactly(
            "/api/v1/namespaces/ml/pods/train-0/status",
            "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ml/podgroups/train");
    assertThat(server.calls.getFirst().body())
        .isEqualTo("{\"metadata\":{\"uid\":\"u0\"},\"status\":{\"nominatedNodeName\":null}}");
  }

  @Test
  void evictsThroughTheEvictionApiUntilTheBudgetLets() throws InterruptedException {
    server.answers(call ->
        call.path().endsWith("/eviction") && server.calls("POST", "/eviction").size() < 3
            ? Reply.refused(
                429, "Cannot evict pod as it would violate the pod's disruption budget.")
            : new Reply(201, "{}"));
    perform(seen(), new Effect.Evict(GANG, POD, "NotBoundInTime", "After 2m only 1 of 2."));

    assertThat(server.calls("POST", "/api/v1/namespaces/ml/pods/train-0/eviction")).hasSize(3);
    assertThat(server.calls("POST", "/eviction").getFirst().body())
        .isEqualTo(
            "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"train-0\",\"namespace\":\"ml\"},\"deleteOptions\":{\"preconditions\":{\"uid\":\"u0\"}}}");
    assertThat(server.calls("POST", "/events"))
        .singleElement()
        .satisfies(
            event -> assertThat(event.body()).contains("\"note\":\"After 2m only 1 of 2.\""));
  }

  @Test
  void evictionOfAReplacedPodIsGivenUp() throws InterruptedException {
    server.answers(_ -> Reply.refused(409, "uid"));
    perform(seen(), new Effect.Evict(GANG, POD, "r", "m"));

    assertThat(server.calls("POST", "/eviction")).hasSize(1);
  }

  @Test
  void showsAGangOnItsPodGroupAndTellsItsPods() throws InterruptedException {
    Member waiting = member(POD, GANG, new MemberState.Waiting(Optional.empty(), false));
    perform(seen(waiting), publish(GANG, GangPhase.PENDING, "WaitingForCapacity"));

    assertThat(server.calls("PATCH", "/podgroups/train/status"))
        .singleElement()
        .satisfies(call ->
            assertThat(call.body())
                .isEqualTo(
                    """
                    {"status":{"phase":"Pending","running":1,"succeeded":0,"failed":0,"conditions":[{"type":"Admitted","status":"False","reason":"WaitingForCapacity","message":"Needs 16 GPUs.","lastTransitionTime":"2026-11-01T10:00:00Z"}]}}\
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
  void sameReasonIsNoNews() throws InterruptedException {
    State state = seen(member(POD, GANG, new MemberState.Waiting(Optional.empty(), false)));
    perform(state, publish(GANG, GangPhase.PENDING, "Fragmented"));
    perform(state, publish(GANG, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("PATCH", "/status")).hasSize(2);
    assertThat(server.calls("POST", "/events")).hasSize(2);
  }

  @Test
  void whatWasShownBeforeARestartIsNoNewsEither() throws InterruptedException {
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
  void lonePodCarriesItsOwnConditionAndIsPatchedForNewReasonsOnly() throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");
    State state = seen(member(POD, lone, new MemberState.Waiting(Optional.empty(), false)));
    perform(state, publish(lone, GangPhase.PENDING, "Fragmented"));
    perform(state, publish(lone, GangPhase.PENDING, "Fragmented"));

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
  void gatedLonePodLearnsTheNewestNumbers() throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");
    State state = seen(member(POD, lone, new MemberState.Held(false)));
    perform(state, publish(lone, GangPhase.PENDING, "Fragmented"));
    perform(state, publish(lone, GangPhase.PENDING, "Fragmented"));

    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(2);
    assertThat(server.calls("POST", "/events")).hasSize(1);
  }

  @Test
  void boundLonePodTakesBackThatItWaits() throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");
    perform(
        seen(member(POD, lone, new MemberState.Held(false))),
        publish(lone, GangPhase.PENDING, "Fragmented"));
    State bound = seen(member(POD, lone, new MemberState.Bound(NODE, NOW)));
    perform(bound, publish(lone, GangPhase.BOUND, "Bound"));
    perform(bound, publish(lone, GangPhase.BOUND, "Running"));

    assertThat(server.calls("PATCH", "/pods/train-0/status"))
        .extracting(call -> call.body().contains("\"status\":\"True\""))
        .containsExactly(false, true);
  }

  @Test
  void boundLonePodTakesBackWhatItSaidBeforeARestart() throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");
    State bound = seen(member(POD, lone, new MemberState.Bound(NODE, NOW)));
    said =
        Optional.of(
            new PodConditionBuilder()
                .withType("muster.dev/Admitted")
                .withStatus("False")
                .withReason("Fragmented")
                .build());
    perform(bound, publish(lone, GangPhase.BOUND, "Bound"));

    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(1);
  }

  @Test
  void lonePodThatStartsAtOnceIsNotWrittenOn() throws InterruptedException {
    GangId lone = new GangId("ml", Origin.POD, "train-0");
    State state = seen(member(POD, lone, new MemberState.Bound(NODE, NOW)));
    perform(
        state, publish(lone, GangPhase.RESERVED, "Admitted"), publish(lone, GangPhase.BOUND, "B"));

    assertThat(server.calls).isEmpty();
  }

  @Test
  void problemBecomesAnEventOnItsObject() throws InterruptedException {
    outbox.report(new Problem(ObjectRef.to(group("")), Problem.INVALID, "é".repeat(1000)));
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
}
