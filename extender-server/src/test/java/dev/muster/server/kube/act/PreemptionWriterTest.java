package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.OutboxScene;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/// How victims are tried, told and evicted.
@Timeout(30)
class PreemptionWriterTest extends OutboxScene {
  private static final String FORBIDDEN =
      "Cannot evict pod as it would violate the pod's disruption budget.";
  private static final GangId BY = new GangId("ml", GangId.Origin.POD_GROUP, "prod");

  private static MemberId pod(int i) {
    return new MemberId("ml", "train-" + i, "u" + i);
  }

  private static Effect.TellVictim tell(int pods, boolean overBudgets) {
    SortedKeys<MemberId> members = SortedKeys.empty();
    for (int i = 0; i < pods; i++) {
      members = members.with(pod(i));
    }
    Victim victim = new Victim(GANG, members, "rule", 0);
    Optional<Instant> deadline = Optional.of(NOW.plusSeconds(60));
    return new Effect.TellVictim(
        GANG, new Effect.Notice(BY, victim, "r1", deadline, List.of(NOW), overBudgets));
  }

  /// One budget, which selects all pods of the gang.
  private static Reply budgets(Call call, int allowed, int pods) {
    if (call.path().endsWith("/poddisruptionbudgets")) {
      return new Reply(
          200,
          "{\"items\":[{\"metadata\":{\"name\":\"b\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"x\"}}},\"status\":{\"disruptionsAllowed\":%d}}]}"
              .formatted(allowed));
    }
    String items =
        String.join(
            ",",
            IntStream.range(0, pods)
                .mapToObj("{\"metadata\":{\"uid\":\"u%d\"}}"::formatted)
                .toList());
    return new Reply(200, call.path().endsWith("/pods") ? "{\"items\":[" + items + "]}" : "{}");
  }

  @Test
  void budget_for_fewer_pods_blocks_all_before_any_notice() throws InterruptedException {
    server.answers(call -> budgets(call, 1, 2));

    assertThat(perform(seen(), tell(2, false)))
        .containsExactly(
            new Event.MemberNotEvicted(
                NOW,
                GANG,
                pod(0),
                true,
                "The disruption budget ml/b allows 1 disruptions, but 2 of its pods would be evicted."));
    assertThat(server.calls("PATCH", "")).isEmpty();
  }

  /// Nobody else tells the admin: the victim only reads that it stays.
  @Test
  void log_states_why_no_gang_is_preempted() throws InterruptedException {
    server.answers(call -> budgets(call, 1, 2));
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(PreemptionWriter.class);
    told.start();
    logger.addAppender(told);
    try {
      perform(seen(), tell(2, false));
    } finally {
      logger.detachAppender(told);
    }
    assertThat(told.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .contains(
            GANG + " is not preempted for ",
            "The disruption budget ml/b allows 1 disruptions, but 2 of its pods would be evicted.");
  }

  @Test
  void budget_for_all_leaving_pods_allows_their_eviction() throws InterruptedException {
    server.answers(call -> budgets(call, 2, 2));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  @Test
  void budget_counts_only_the_pods_it_selects() throws InterruptedException {
    server.answers(call -> budgets(call, 1, 1));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  /// So does the API server when it evicts.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'phase': 'Pending'}",
        "{'phase': 'Succeeded'}",
        "{'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'False'}]}",
      })
  void pods_exempt_from_a_budget_do_not_count(String status) throws InterruptedException {
    server.answers(call -> guarding(call, "'unhealthyPodEvictionPolicy': 'AlwaysAllow',", status));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  @Test
  void budget_short_of_healthy_pods_protects_others_too() throws InterruptedException {
    server.answers(call -> guarding(call, "", "{'phase': 'Running'}"));

    assertThat(perform(seen(), tell(2, false)))
        .singleElement()
        .isInstanceOf(Event.MemberNotEvicted.class);
  }

  /// A budget that allows nothing and has fewer healthy pods than it wants, and its two pods.
  private static Reply guarding(Call call, String rule, String status) {
    String pods =
        """
        {'items': [{'metadata': {'uid': 'u0'}, 'status': %1$s}, {'metadata': {'uid': 'u1'}, 'status': %1$s}]}\
        """
            .formatted(status);
    String budgets =
        """
        {'items': [{'metadata': {'name': 'b'}, 'spec': {%s 'selector': {'matchLabels': {'a': 'x'}}},
          'status': {'disruptionsAllowed': 0, 'currentHealthy': 1, 'desiredHealthy': 2}}]}\
        """
            .formatted(rule);
    String answer =
        call.path().endsWith("/poddisruptionbudgets")
            ? budgets
            : call.path().endsWith("/pods") ? pods : "{}";
    return new Reply(200, answer.replace('\'', '"'));
  }

  @Test
  void pods_of_a_budget_are_counted_on_all_pages() throws InterruptedException {
    server.answers(call ->
        !call.path().endsWith("/pods")
            ? budgets(call, 1, 0)
            : server.calls("GET", "/pods").size() == 1
                ? new Reply(
                    200,
                    "{\"metadata\":{\"continue\":\"more\"},\"items\":[{\"metadata\":{\"uid\":\"u0\"}}]}")
                : new Reply(200, "{\"items\":[{\"metadata\":{\"uid\":\"u1\"}}]}"));

    assertThat(perform(seen(), tell(2, false)))
        .singleElement()
        .isInstanceOf(Event.MemberNotEvicted.class);
  }

  @Test
  void unreadable_budgets_block_nothing() throws InterruptedException {
    server.answers(call ->
        call.path().endsWith("/poddisruptionbudgets")
            ? Reply.refused(403, "forbidden")
            : new Reply(200, "{}"));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  @Test
  void policy_may_override_budgets() throws InterruptedException {
    server.answers(call ->
        call.path().endsWith("/eviction") ? Reply.overBudget(FORBIDDEN) : budgets(call, 0, 2));

    assertThat(perform(seen(), tell(2, true))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  /// The Eviction API has no answer of its own for that.
  @Test
  void two_budgets_of_one_pod_block_like_one() throws InterruptedException {
    String two =
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    server.answers(
        call -> call.path().endsWith("/eviction") ? Reply.refused(500, two) : budgets(call, 2, 2));

    assertThat(perform(seen(), tell(2, false)))
        .singleElement()
        .isEqualTo(new Event.MemberNotEvicted(NOW, GANG, pod(0), true, "500 " + two));
    assertThat(perform(seen(), tell(2, true))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  @Test
  void victim_counts_as_notified_after_the_deadline_is_on_each_pod() throws InterruptedException {
    server.answers(call ->
        call.is("PATCH", "/pods/train-1") && server.calls("PATCH", "/pods/train-1").size() < 2
            ? Reply.refused(503, "later")
            : budgets(call, 2, 2));

    assertThat(perform(seen(), tell(2, false)))
        .containsExactly(new Event.MemberNotEvicted(NOW, GANG, pod(1), false, "503 later"));
    assertThat(server.calls("POST", "/events")).as("nobody reads of it yet").isEmpty();

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
    assertThat(server.calls("POST", "/events")).hasSize(3);
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
  void zero_grace_period_becomes_one_second()
      throws InterruptedException {
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
