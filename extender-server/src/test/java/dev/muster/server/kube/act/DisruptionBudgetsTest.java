package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.client.ApiCalls;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/// Disruption budgets block an eviction before any victim is notified.
@Timeout(30)
class DisruptionBudgetsTest extends PreemptionWriterScene {
  private static final String LONG = " ".repeat(1 << 20);

  @BeforeEach
  void twoPods() {
    shows(2, new PodStatus());
  }

  @Test
  void budget_for_fewer_pods_blocks_all_before_any_notice() throws InterruptedException {
    server.answers(call -> budgets(call, 1));

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

  /// The log is the only message to the admin. The victim only reads that it stays.
  @Test
  void log_states_why_no_gang_is_preempted() throws InterruptedException {
    server.answers(call -> budgets(call, 1));
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
    server.answers(call -> budgets(call, 2));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  @Test
  void budget_counts_only_the_pods_it_selects() throws InterruptedException {
    others.put(pod(1), new PodBuilder().withNewMetadata().endMetadata().build());
    server.answers(call -> budgets(call, 1));

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  /// The API server does likewise when it evicts.
  @ParameterizedTest
  @CsvSource({"Pending, True", "Succeeded, True", "Running, False"})
  void pods_exempt_from_a_budget_do_not_count(String phase, String ready)
      throws InterruptedException {
    server.answers(call -> guarding(call, "'unhealthyPodEvictionPolicy': 'AlwaysAllow',"));
    shows(
        2,
        new PodStatusBuilder()
            .withPhase(phase)
            .addNewCondition()
            .withType("Ready")
            .withStatus(ready)
            .endCondition()
            .build());

    assertThat(perform(seen(), tell(2, false))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  @Test
  void budget_short_of_healthy_pods_protects_others_too() throws InterruptedException {
    server.answers(call -> guarding(call, ""));

    assertThat(perform(seen(), tell(2, false)))
        .singleElement()
        .isInstanceOf(Event.MemberNotEvicted.class);
  }

  /// A budget that allows nothing and has fewer healthy pods than it wants.
  private static Reply guarding(Call call, String rule) {
    String budgets =
        """
        {'items': [{'metadata': {'name': 'b'}, 'spec': {%s 'selector': {'matchLabels': {'a': 'x'}}},
          'status': {'disruptionsAllowed': 0, 'currentHealthy': 1, 'desiredHealthy': 2}}]}\
        """
            .formatted(rule);
    return call.path().endsWith("/poddisruptionbudgets")
        ? new Reply(200, budgets.replace('\'', '"'))
        : new Reply(200, "{}");
  }

  /// Their owner gains nothing: a budget for no disruption protects its pods as well.
  @Test
  void budgets_of_more_than_a_mebibyte_block_like_one() throws InterruptedException {
    server.answers(call -> listed(call, new Reply(200, budgets(call, 2).body() + LONG)));

    assertThat(perform(seen(), tell(2, false)))
        .containsExactly(
            unread(true, "No answer from the API server: the answer is longer than 1048576 bytes"));
    assertThat(server.calls("PATCH", "")).isEmpty();
  }

  @Test
  void unreadable_budgets_block_like_one() throws InterruptedException {
    server.answers(call -> listed(call, Reply.refused(403, "no right")));

    assertThat(perform(seen(), tell(2, false))).containsExactly(unread(true, "403 no right"));
  }

  /// A retry some seconds later may read them.
  @Test
  void api_server_without_time_for_budgets_delays_the_notice() throws InterruptedException {
    server.answers(call -> listed(call, Reply.refused(429, "later")));

    assertThat(perform(seen(), tell(2, false))).containsExactly(unread(false, "429 later"));
  }

  @Test
  void broken_connection_delays_the_notice() throws InterruptedException {
    server.answers(call -> {
      if (call.path().endsWith("/poddisruptionbudgets")) {
        throw new IllegalStateException("closes the connection");
      }
      return new Reply(200, "{}");
    });

    assertThat(perform(seen(), tell(2, false)))
        .singleElement()
        .isInstanceOfSatisfying(
            Event.MemberNotEvicted.class,
            event -> {
              assertThat(event.problem()).contains("cannot be read (No answer");
              assertThat(event.forbidden()).isFalse();
            });
  }

  @Test
  void rule_that_overrides_budgets_does_not_read_them() throws InterruptedException {
    server.answers(call -> listed(call, Reply.refused(403, "no right")));

    assertThat(perform(seen(), tell(2, true))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  private static Reply listed(Call call, Reply budgets) {
    return call.path().endsWith("/poddisruptionbudgets") ? budgets : new Reply(200, "{}");
  }

  private static Event unread(boolean refused, String problem) {
    return new Event.MemberNotEvicted(
        NOW,
        GANG,
        pod(0),
        refused,
        "The disruption budgets of namespace ml cannot be read (%s). Its gangs of several pods are evicted only if Muster may list the budgets and they have at most 1 MiB together, or if a rule of the policy overrides budgets."
            .formatted(problem));
  }

  @Test
  void pods_are_not_read_from_the_api_server() throws InterruptedException {
    server.answers(call -> budgets(call, 1));

    perform(seen(), tell(2, false));
    assertThat(server.calls("GET", "/pods")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | true",
        "{'matchLabels': {'a': 'x', 'b': 'y'}} | true",
        "{'matchLabels': {'a': 'x', 'b': 'z'}} | false",
        "{'matchLabels': {'c': 'x'}} | false",
        "{'matchExpressions': [{'key': 'a', 'operator': 'In', 'values': ['w', 'x']}]} | true",
        "{'matchExpressions': [{'key': 'a', 'operator': 'In', 'values': ['w']}]} | false",
        "{'matchExpressions': [{'key': 'c', 'operator': 'In', 'values': ['x']}]} | false",
        "{'matchExpressions': [{'key': 'a', 'operator': 'NotIn', 'values': ['x']}]} | false",
        "{'matchExpressions': [{'key': 'a', 'operator': 'NotIn', 'values': ['w']}]} | true",
        "{'matchExpressions': [{'key': 'c', 'operator': 'NotIn', 'values': ['x']}]} | true",
        "{'matchExpressions': [{'key': 'a', 'operator': 'Exists'}]} | true",
        "{'matchExpressions': [{'key': 'c', 'operator': 'Exists'}]} | false",
        "{'matchExpressions': [{'key': 'a', 'operator': 'DoesNotExist'}]} | false",
        "{'matchExpressions': [{'key': 'c', 'operator': 'DoesNotExist'}]} | true",
        "{'matchLabels': {'a': 'x'}, 'matchExpressions': [{'key': 'b', 'operator': 'DoesNotExist'}]} | false",
      })
  void selector_selects_as_in_the_api_server(String selector, boolean selects) {
    assertThat(DisruptionBudgets.Selector.of(json(selector)).selects(Map.of("a", "x", "b", "y")))
        .isEqualTo(selects);
  }

  private static JsonNode json(String text) {
    return new ApiCalls.Answer(200, text.replace('\'', '"')).json();
  }

  @Test
  void policy_may_override_budgets() throws InterruptedException {
    server.answers(
        call -> call.path().endsWith("/eviction") ? Reply.overBudget(FORBIDDEN) : budgets(call, 0));

    assertThat(perform(seen(), tell(2, true))).containsExactly(new Event.VictimTold(NOW, GANG));
  }

  /// The Eviction API has no answer of its own for that.
  @Test
  void two_budgets_of_one_pod_block_like_one() throws InterruptedException {
    String two =
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    server.answers(
        call -> call.path().endsWith("/eviction") ? Reply.refused(500, two) : budgets(call, 2));

    assertThat(perform(seen(), tell(2, false)))
        .singleElement()
        .isEqualTo(new Event.MemberNotEvicted(NOW, GANG, pod(0), true, "500 " + two));
    assertThat(perform(seen(), tell(2, true))).containsExactly(new Event.VictimTold(NOW, GANG));
  }
}
