package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.ScriptedApi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Victims are notified and evicted through the API server.
@Timeout(30)
class PreemptionWriterTest extends PreemptionWriterScene {
  private static final String TOO_LARGE = "etcdserver: request is too large";

  @Test
  void victim_counts_as_notified_after_the_deadline_is_on_each_pod() throws InterruptedException {
    server.answers(call ->
        call.is("PATCH", "/pods/train-1") && server.calls("PATCH", "/pods/train-1").size() < 2
            ? Reply.refused(503, "later")
            : budgets(call, 2));

    assertThat(perform(seen(), tell(2, false)))
        .containsExactly(new Event.MemberNotEvicted(NOW, GANG, pod(1), false, "503 later"));
    assertThat(server.calls("POST", "/events")).as("nobody reads of it yet").isEmpty();

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
    assertThat(server.calls("POST", "/events")).hasSize(3);
  }

  @Test
  void victim_that_refuses_its_notice_is_preempted_all_the_same() throws InterruptedException {
    server.answers(call ->
        call.is("PATCH", "podgroups")
            ? Reply.refused(422, "metadata.annotations: Too long")
            : budgets(call, 2));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
    assertThat(server.calls("POST", "/events"))
        .anySatisfy(call ->
            assertThat(call.body())
                .contains(
                    "\"reason\":\"RecordRefused\"",
                    "The gang is preempted, although the notice cannot be written: 422 metadata.annotations: Too long"));
  }

  /// Finalizers and labels fill an object without a limit of their own.
  @ParameterizedTest
  @ValueSource(strings = {"podgroups", "/pods/train-1"})
  void victim_too_large_for_its_notice_is_preempted_all_the_same(String filled)
      throws InterruptedException {
    server.answers(
        call -> call.is("PATCH", filled) ? Reply.refused(500, TOO_LARGE) : budgets(call, 2));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  /// A dry run does not write the condition of the pod, so it succeeds.
  @ParameterizedTest
  @CsvSource({"500, " + TOO_LARGE, "403, a rule forbids it", "422, invalid"})
  void eviction_that_the_pod_refuses_is_not_tried_again(int code, String problem)
      throws InterruptedException {
    server.answers(_ -> Reply.refused(code, problem));

    assertThat(
            perform(
                seen(),
                new Effect.Evict(GANG, POD, Effect.PREEMPTED, "Stopped.", Effect.Ending.PLAIN)))
        .containsExactly(new Event.MemberNotEvicted(NOW, GANG, POD, true, code + " " + problem));
    assertThat(perform(seen(), tell(2, false)))
        .containsExactly(new Event.MemberNotEvicted(NOW, GANG, pod(0), true, code + " " + problem));
  }

  /// The Eviction API writes the budget too, which its owner may have filled.
  @Test
  void pod_is_deleted_when_an_overridden_budget_is_too_large() throws InterruptedException {
    server.answers(call ->
        call.path().endsWith("/eviction") ? Reply.refused(500, TOO_LARGE) : new Reply(200, "{}"));
    var ending = new Effect.Ending(Optional.empty(), true);

    assertThat(perform(seen(), new Effect.Evict(GANG, POD, Effect.PREEMPTED, "Stopped.", ending)))
        .isEmpty();
    assertThat(server.calls("DELETE", "/pods/train-0")).hasSize(1);
  }

  @Test
  void victims_that_make_the_preemptor_too_large_are_refused() throws InterruptedException {
    server.answers(_ -> Reply.refused(500, TOO_LARGE));
    var victims = SortedTable.<GangId, Victim>empty().with(BY, tell(1, false).notice().victim());

    assertThat(perform(seen(), new Effect.RecordVictims(GANG, victims)))
        .containsExactly(
            new Event.VictimsNotRecorded(NOW, GANG, "500 " + TOO_LARGE, Optional.of(500)));
  }

  @Test
  void victim_that_was_replaced_is_notified_again() throws InterruptedException {
    server.answers(call -> call.is("PATCH", "podgroups") ? Reply.replaced() : budgets(call, 2));

    assertThat(perform(seen(), tell(2, false)))
        .containsExactly(
            new Event.MemberNotEvicted(
                NOW, GANG, pod(0), false, "422 metadata.uid: field is immutable"));
    assertThat(server.calls("POST", "/events")).isEmpty();
  }

  @Test
  void preemptor_that_was_replaced_records_its_victims_again() throws InterruptedException {
    server.answers(_ -> Reply.replaced());
    var victims = SortedTable.<GangId, Victim>empty().with(BY, tell(1, false).notice().victim());

    assertThat(perform(seen(), new Effect.RecordVictims(GANG, victims)))
        .containsExactly(
            new Event.VictimsNotRecorded(NOW, GANG, "422 metadata.uid: field is immutable"));
  }

  @Test
  void victims_whose_pods_refuse_their_deadline_are_preempted_all_the_same()
      throws InterruptedException {
    server.answers(
        call -> call.is("PATCH", "/pods/train-1") ? Reply.refused(422, "full") : budgets(call, 2));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  @Test
  void pod_is_deleted_when_its_budget_is_overridden() throws InterruptedException {
    server.answers(call ->
        call.path().endsWith("/eviction") ? Reply.overBudget(FORBIDDEN) : new Reply(200, "{}"));
    var ending = new Effect.Ending(Optional.of(Duration.ofSeconds(30)), true);

    perform(seen(), new Effect.Evict(GANG, POD, Effect.PREEMPTED, "Stopped.", ending));

    assertThat(server.calls("PATCH", "/pods/train-0/status"))
        .singleElement()
        .satisfies(call -> assertThat(call.body()).contains("\"DisruptionTarget\""));
    assertThat(server.calls("DELETE", "/pods/train-0"))
        .singleElement()
        .satisfies(call ->
            assertThat(call.body())
                .contains("\"preconditions\":{\"uid\":\"u0\"}", "\"gracePeriodSeconds\":30"));
  }

  @Test
  void zero_grace_period_becomes_one_second() throws InterruptedException {
    server.answers(_ -> new Reply(200, "{}"));

    for (Duration grace : List.of(Duration.ZERO, Duration.ofMillis(500), Duration.ofMillis(1500))) {
      var ending = new Effect.Ending(Optional.of(grace), false);
      perform(seen(), new Effect.Evict(GANG, POD, Effect.PREEMPTED, "Stopped.", ending));
    }

    assertThat(server.calls("POST", "/pods/train-0/eviction"))
        .extracting(call -> call.body().replaceAll(".*(\"gracePeriodSeconds\":\\d+).*", "$1"))
        .containsExactly(
            "\"gracePeriodSeconds\":1", "\"gracePeriodSeconds\":1", "\"gracePeriodSeconds\":2");
  }

  @Test
  void pod_is_not_deleted_when_its_budget_counts() throws InterruptedException {
    server.answers(_ -> Reply.overBudget(FORBIDDEN));

    assertThat(
            perform(
                seen(),
                new Effect.Evict(GANG, POD, Effect.PREEMPTED, "Stopped.", Effect.Ending.PLAIN)))
        .containsExactly(new Event.MemberNotEvicted(NOW, GANG, POD, true, "429 " + FORBIDDEN));
    assertThat(server.calls("DELETE", "")).isEmpty();
  }

  @Test
  void too_many_requests_is_neither_a_budget_nor_a_reason_to_delete() throws InterruptedException {
    server.answers(_ -> Reply.refused(429, "too many requests, please try again later"));
    var ending = new Effect.Ending(Optional.of(Duration.ofSeconds(30)), true);

    assertThat(perform(seen(), new Effect.Evict(GANG, POD, Effect.PREEMPTED, "Stopped.", ending)))
        .containsExactly(
            new Event.MemberNotEvicted(
                NOW, GANG, POD, false, "429 too many requests, please try again later"));
    assertThat(server.calls("DELETE", "")).isEmpty();
  }

  @Test
  void cancelled_preemption_is_written_until_it_succeeds() throws InterruptedException {
    server.answers(_ ->
        server.calls("PATCH", "podgroups").size() < 3
            ? Reply.refused(503, "later")
            : new Reply(200, "{}"));

    perform(seen(), new Effect.RecordVictims(GANG, SortedTable.empty()));

    assertThat(server.calls("PATCH", "podgroups")).hasSize(3);
    assertThat(server.calls.getLast().body()).contains("\"muster.dev/victims\":null");
  }

  @Test
  void notice_of_a_spared_victim_is_removed() throws InterruptedException {
    server.answers(_ -> new Reply(200, "{}"));

    perform(seen(), new Effect.Reprieve(GANG, BY, List.of()));

    assertThat(server.calls("PATCH", "podgroups").getFirst().body())
        .contains("\"muster.dev/preempted-at\":null", "\"muster.dev/preempted-by\":null");
  }

  @Test
  void notice_of_a_spared_victim_is_removed_on_a_busy_api_server() throws InterruptedException {
    server.answers(call ->
        server.calls("PATCH", call.path()).size() < 3
            ? Reply.refused(429, "later")
            : new Reply(200, "{}"));
    Member told = member(pod(0), GANG, new MemberState.Bound(NODE, NOW));
    Member mate = member(pod(1), GANG, new MemberState.Bound(NODE, NOW));

    perform(seen(told, mate), new Effect.Reprieve(GANG, BY, List.of()));

    assertThat(server.calls("PATCH", "podgroups")).hasSize(3);
    assertThat(server.calls("PATCH", "/pods/train-0")).hasSize(3);
    assertThat(server.calls("PATCH", "/pods/train-1").getLast().body())
        .contains("\"muster.dev/preemption-deadline\":null");
  }

  @Test
  void time_of_an_earlier_preemption_of_a_spared_victim_is_kept() throws InterruptedException {
    server.answers(_ -> new Reply(200, "{}"));

    perform(seen(), new Effect.Reprieve(GANG, BY, List.of(NOW)));

    assertThat(server.calls("PATCH", "podgroups").getFirst().body())
        .contains("\"muster.dev/preempted-at\":\"" + NOW + "\"");
  }

  @Test
  void pods_are_evicted_concurrently() throws InterruptedException {
    CountDownLatch all = new CountDownLatch(8);
    server.answers(call -> {
      if (call.path().endsWith("/eviction")) {
        all.countDown();
        assertThat(cameTogether(all)).isTrue();
      }
      return new Reply(200, "{}");
    });

    assertThat(perform(seen(), tell(8, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  private static boolean cameTogether(CountDownLatch all) {
    try {
      return all.await(15, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
