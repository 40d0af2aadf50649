package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.policy.config.PodHold;
import dev.muster.server.http.PodWebhook.Task;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.ReviewWriter.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A pod whose review cannot be read is refused where Muster could change it, else it passes.
class UnreadReviewsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String MANY = "{\"spec\":{\"a\":[%s{}]}}".formatted("{},".repeat(50_000));

  private static final String GANG =
      "{\"metadata\":{\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"g\"}},\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}}]}}";

  private final Map<String, Map<String, String>> namespaces =
      Map.of(
          "off", Map.of("muster.dev/gate", "disabled", "muster.dev/hide-gpus", "disabled"),
          "gated", Map.of("muster.dev/hide-gpus", "disabled"),
          "hidden", Map.of("muster.dev/gate", "disabled"));
  private final PodWebhook webhook = webhook(true, true);

  private PodWebhook webhook(boolean gate, boolean hide) {
    return new PodWebhook(
        ServerImages.SCOPE,
        new WebhookOptions(gate, hide, name -> namespaces.getOrDefault(name, Map.of())),
        _ -> false);
  }

  /// Returns a review in the order of the API server.
  private static String review(String name, String namespace, String operation, String objects) {
    return "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"r1\",\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},%s,\"name\":\"%s\",\"namespace\":\"%s\",\"operation\":%s,\"userInfo\":{\"username\":\"x\"},%s}}"
        .formatted(
            operation.equals("DEBUG")
                ? "\"subResource\":\"ephemeralcontainers\""
                : operation.equals("EVICT")
                    ? "\"subResource\":\"eviction\""
                    : "\"requestKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"}",
            name,
            namespace,
            operation.equals("DEBUG")
                ? "\"UPDATE\""
                : operation.equals("EVICT") ? "\"CREATE\"" : '"' + operation + '"',
            objects);
  }

  private static String created(String namespace, String pod) {
    return review("p", namespace, "CREATE", "\"object\":" + pod);
  }

  private static JsonNode answer(PodWebhook webhook, Task task, String review)
      throws MalformedRequest, JsonProcessingException {
    byte[] answer = webhook.review(task, review.getBytes(StandardCharsets.UTF_8));
    return MAPPER.readTree(new String(answer, StandardCharsets.UTF_8));
  }

  private static boolean isAllowed(JsonNode answer) {
    assertThat(answer.path("apiVersion").asText()).isEqualTo("admission.k8s.io/v1");
    assertThat(answer.at("/response/uid").asText()).isEqualTo("r1");
    assertThat(answer.path("response").has("patch")).isFalse();
    return answer.at("/response/allowed").asBoolean();
  }

  private void refuses(String pod, String problem)
      throws MalformedRequest, JsonProcessingException {
    JsonNode answer = answer(webhook, Task.BOTH, created("ml", pod));
    assertThat(isAllowed(answer)).isFalse();
    assertThat(answer.at("/response/status/code").asInt()).isEqualTo(403);
    assertThat(answer.at("/response/status/message").asText()).startsWith(problem);
  }

  @Test
  void refuses_a_pod_of_very_many_values() throws MalformedRequest, JsonProcessingException {
    refuses(MANY, "The body has more than 100000 JSON tokens at line 1, column 15");
  }

  /// The managed fields of a pod have the names of its variables as keys.
  @Test
  void refuses_a_pod_with_a_very_long_key() throws MalformedRequest, JsonProcessingException {
    refuses(
        "{\"metadata\":{\"managedFields\":[{\"%s\":{}}]}}".formatted("k".repeat(5_000)),
        "The body has a key, number or text that is too long at line 1");
  }

  @Test
  void refuses_a_pod_that_is_not_json() throws MalformedRequest, JsonProcessingException {
    refuses("{\"spec\":{\"a\":1,\"a\":2}}", "The body is not valid JSON: Duplicate field 'a'");
  }

  @ParameterizedTest
  @CsvSource({
    "ml, CREATE, GATE, false",
    "ml, CREATE, HIDE, false",
    "ml, CREATE, BOTH, false",
    "ml, UPDATE, BOTH, true",
    "ml, DELETE, BOTH, true",
    "ml, EVICT, BOTH, true",
    "ml, DEBUG, GATE, true",
    "ml, DEBUG, HIDE, false",
    "off, CREATE, BOTH, true",
    "off, DEBUG, BOTH, true",
    "gated, CREATE, GATE, false",
    "gated, CREATE, HIDE, true",
    "gated, CREATE, BOTH, false",
    "gated, DEBUG, BOTH, true",
    "hidden, CREATE, GATE, true",
    "hidden, CREATE, HIDE, false",
    "hidden, CREATE, BOTH, false",
    "hidden, DEBUG, BOTH, false"
  })
  void refuses_only_what_it_could_change(
      String namespace, String operation, Task task, boolean allowed)
      throws MalformedRequest, JsonProcessingException {
    String broken = review("p", namespace, operation, "\"object\":{\"spec\":[}");
    assertThat(isAllowed(answer(webhook, task, broken))).isEqualTo(allowed);
  }

  @Test
  void refuses_nothing_while_it_is_switched_off() throws MalformedRequest, JsonProcessingException {
    assertThat(isAllowed(answer(webhook(false, false), Task.BOTH, created("ml", MANY)))).isTrue();
  }

  /// The API server does not check the name before it asks, and writes it before the namespace.
  @Test
  void refuses_a_pod_whose_name_fills_the_head() throws MalformedRequest, JsonProcessingException {
    String broken = review("n".repeat(5_000), "ml", "CREATE", "\"object\":{\"spec\":[}");
    assertThat(isAllowed(answer(webhook, Task.HIDE, broken))).isFalse();
  }

  @Test
  void refuses_by_the_first_bytes_for_the_moment() throws JsonProcessingException {
    byte[] begin = created("ml", "{").getBytes(StandardCharsets.UTF_8);
    byte[] answer = webhook.unread(Task.BOTH, begin, Refusal.forNow("Try again.")).orElseThrow();
    assertThat(new String(answer, StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"r1\",\"allowed\":false,\"status\":{\"code\":429,\"message\":\"Try again.\",\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":1}}}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[",
        "{\"kind\":\"AdmissionReview\"}",
        "{\"kind\":\"AdmissionReview\",\"request\":{\"ui",
        "{\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r",
        "{\"kind\":\"AdmissionReview\",\"request\":{\"object\":{},\"uid\":\"r\"",
        "{\"kind\":\"AdmissionReview\",\"request\":7",
        "{\"kind\":\"Pod\",\"request\":{\"uid\":\"r\"}}"
      })
  void cannot_answer_without_the_uid_of_a_review(String body) {
    byte[] begin = body.getBytes(StandardCharsets.UTF_8);
    assertThat(webhook.unread(Task.BOTH, begin, Refusal.forbidden("x"))).isEmpty();
  }

  @Test
  void does_not_understand_very_many_values_without_a_review() {
    String many = "[" + "{},".repeat(50_000) + "{}]";
    assertThatThrownBy(() -> answer(webhook, Task.BOTH, many))
        .isInstanceOf(MalformedRequest.class)
        .hasMessageStartingWith("The body has more than 100000 JSON tokens");
  }

  @ParameterizedTest
  @ValueSource(strings = {"victim/podgroups?x=", "ML", "-ml", "ml\\n", "a.b", ""})
  void pod_of_an_invalid_namespace_is_refused_before_anything_is_asked_about_it(String namespace)
      throws MalformedRequest, JsonProcessingException {
    List<String> asked = new ArrayList<>();
    WebhookOptions options =
        new WebhookOptions(true, true, _ -> Map.of())
            .keeping(name -> {
              asked.add(name);
              return PodHold.NATIVE;
            });
    JsonNode answer =
        answer(
            new PodWebhook(ServerImages.SCOPE, options, _ -> false),
            Task.BOTH,
            created(namespace, GANG));

    assertThat(isAllowed(answer)).isFalse();
    assertThat(answer.at("/response/status/message").asText())
        .startsWith("request.namespace must be");
    assertThat(asked).isEmpty();
  }

  @Test
  void message_about_an_invalid_namespace_is_short()
      throws MalformedRequest, JsonProcessingException {
    JsonNode answer = answer(webhook, Task.BOTH, created("x".repeat(100_000), GANG));
    assertThat(answer.at("/response/status/message").asText()).hasSize(1024);
  }

  /// The review of a debug container has the pod twice.
  @Test
  void pod_that_can_be_created_can_be_debugged() throws MalformedRequest, JsonProcessingException {
    String pod = "{\"spec\":{\"a\":[%s{}]}}".formatted("{},".repeat(45_000));
    assertThat(isAllowed(answer(webhook, Task.HIDE, created("ml", pod)))).isTrue();

    String twice = "\"object\":%s,\"oldObject\":%s".formatted(pod, pod);
    assertThat(isAllowed(answer(webhook, Task.HIDE, review("p", "ml", "DEBUG", twice)))).isTrue();
  }

  @Test
  void refuses_to_debug_a_pod_of_very_many_values()
      throws MalformedRequest, JsonProcessingException {
    String twice = "\"object\":%s,\"oldObject\":%s".formatted(MANY, MANY);
    JsonNode answer = answer(webhook, Task.HIDE, review("p", "ml", "DEBUG", twice));
    assertThat(isAllowed(answer)).isFalse();
    assertThat(answer.at("/response/status/message").asText()).contains("200000 JSON tokens");
  }
}
