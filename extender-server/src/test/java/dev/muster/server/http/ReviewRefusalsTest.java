package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A pod whose review is longer than a body may be is refused. The API server would ignore an
/// error, and the pod would see all GPUs.
class ReviewRefusalsTest extends HttpFrontScene {
  private static final String STATUS = "{},".repeat(MAX_BODY / 3) + "{}";

  ReviewRefusalsTest() throws IOException {}

  @Override
  HttpDependencies parts() {
    Map<String, Map<String, String>> labels =
        Map.of("off", Map.of("muster.dev/gate", "disabled", "muster.dev/hide-gpus", "disabled"));
    Function<String, Map<String, String>> namespaces = name -> labels.getOrDefault(name, Map.of());
    WebhookOptions webhook = new WebhookOptions(true, true, namespaces);
    HttpDependencies parts = super.parts();
    return new HttpDependencies(
        parts.image(), parts.policies(), parts.scope(), webhook, metrics, informers::get);
  }

  private static String review(String namespace) {
    return "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"r1\",\"namespace\":\"%s\",\"operation\":\"CREATE\",\"userInfo\":{},\"object\":{\"spec\":{},\"status\":{\"containerStatuses\":[%s]}}}}"
        .formatted(namespace, STATUS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/webhook/pods", "/webhook/gate/pods", "/webhook/hide-gpus/pods"})
  void too_long_review_refuses_its_pod(String path) throws Exception {
    HttpResponse<String> answer = post(path, review("ml"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .startsWith(
            "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"r1\",\"allowed\":false,")
        .contains("longer than 8388608 bytes");
  }

  @Test
  void too_long_review_without_announced_length_refuses_its_pod() throws Exception {
    byte[] body = review("ml").getBytes(StandardCharsets.UTF_8);
    HttpRequest chunked =
        request("/webhook/pods")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
            .build();
    HttpResponse<String> answer = client.send(chunked, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.body()).contains("\"uid\":\"r1\",\"allowed\":false,");
  }

  @Test
  void too_long_review_of_a_namespace_without_webhook_passes() throws Exception {
    assertThat(post("/webhook/pods", review("off")).body())
        .contains("\"response\":{\"uid\":\"r1\",\"allowed\":true}");
  }

  @Test
  void too_long_body_that_is_no_review_is_too_long() throws Exception {
    assertThat(post("/webhook/pods", " ".repeat(MAX_BODY + 1)).statusCode()).isEqualTo(413);
  }
}
