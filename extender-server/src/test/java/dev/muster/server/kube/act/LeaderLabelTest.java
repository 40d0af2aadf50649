package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.act.LeaderLabel.Role;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.Leadership;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Only the pod of the leader has the label that the Service selects.
class LeaderLabelTest {
  private static final String PODS = "/api/v1/namespaces/ns/pods";
  private static final ObjectMapper JSON = new ObjectMapper();

  @AutoClose private final ScriptedApi server = new ScriptedApi();
  @AutoClose private final KubernetesClient client = server.client();
  private final Set<String> labelled = new ConcurrentSkipListSet<>();
  private final Set<String> gone = new TreeSet<>();
  private Duration passed = Duration.ZERO;
  private volatile boolean away;
  private volatile Duration fence = Duration.ofSeconds(10);

  @AutoClose
  private final LeaderLabel label =
      new LeaderLabel(
          new ApiCalls(client, () -> fence),
          new ApiCalls(client),
          new Leadership.Holder("ns", "muster-a", true),
          () -> passed.toNanos());

  /// Keeps the labels of pods, as the API server does.
  @BeforeEach
  void keepLabels() {
    server.answers(call -> {
      try {
        return away ? Reply.refused(500, "away") : answer(call);
      } catch (JsonProcessingException e) {
        return Reply.refused(400, e.toString());
      }
    });
  }

  private Reply answer(Call call) throws JsonProcessingException {
    if (call.is("GET", PODS)) {
      return new Reply(
          200,
          labelled.stream()
              .map("{\"metadata\":{\"name\":\"%s\"}}"::formatted)
              .collect(Collectors.joining(",", "{\"items\":[", "]}")));
    }
    String pod = call.path().substring(PODS.length() + 1);
    if (gone.contains(pod)) {
      labelled.remove(pod);
      return Reply.refused(404, "no such pod");
    }
    JsonNode value = JSON.readTree(call.body()).at("/metadata/labels/muster.dev~1leading");
    if (value.asText().equals("true")) {
      labelled.add(pod);
    } else {
      labelled.remove(pod);
    }
    return new Reply(200, "{}");
  }

  @Test
  void leader_labels_its_pod() {
    label.look(Role.LEADER);

    assertThat(labelled).containsExactly("muster-a");
  }

  @Test
  void leader_removes_the_label_of_earlier_leaders() {
    labelled.addAll(Set.of("muster-b", "muster-c"));
    gone.add("muster-c");

    label.look(Role.LEADER);

    assertThat(labelled).containsExactly("muster-a");
  }

  @Test
  void standby_that_led_before_its_restart_is_off_after_it_removed_its_label() {
    labelled.add("muster-a");
    label.look(Role.UNKNOWN);
    assertThat(label.isOff()).isFalse();

    label.look(Role.STANDBY);

    assertThat(labelled).isEmpty();
    assertThat(label.isOff()).isTrue();
  }

  @Test
  void standby_is_not_off_while_the_removal_fails() {
    labelled.add("muster-a");
    away = true;
    label.look(Role.STANDBY);
    assertThat(label.isOff()).isFalse();

    away = false;
    label.look(Role.STANDBY);

    assertThat(label.isOff()).isTrue();
  }

  @Test
  void leader_keeps_its_label_when_it_cannot_renew_its_lease() {
    label.look(Role.LEADER);

    label.look(Role.UNKNOWN);

    assertThat(labelled).containsExactly("muster-a");
  }

  @Test
  void standby_that_takes_over_moves_the_label() {
    labelled.add("muster-b");
    label.look(Role.STANDBY);

    label.look(Role.LEADER);

    assertThat(labelled).containsExactly("muster-a");
    assertThat(label.isOff()).isFalse();
  }

  @Test
  void leader_restores_the_labels_that_a_user_changed() {
    label.look(Role.LEADER);
    labelled.clear();
    labelled.add("muster-b");

    passed = passed.plus(LeaderLabel.CHECKED_EVERY);
    label.look(Role.LEADER);

    assertThat(labelled).containsExactly("muster-a");
  }

  @Test
  void leader_without_a_pod_does_not_ask_at_every_look() {
    gone.add("muster-a");
    label.look(Role.LEADER);
    int calls = server.calls.size();

    label.look(Role.LEADER);

    assertThat(server.calls).hasSize(calls);
  }

  @Test
  void process_that_led_before_it_was_frozen_writes_no_label() {
    labelled.add("muster-b");
    fence = Duration.ZERO;

    label.look(Role.LEADER);

    assertThat(labelled).containsExactly("muster-b");
  }

  @Test
  void nothing_is_called_while_nothing_changes() {
    label.look(Role.LEADER);
    int calls = server.calls.size();

    label.look(Role.LEADER);

    assertThat(server.calls).hasSize(calls);
  }
}
