package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Each path serves its methods only.
class MethodsTest {
  private final State image = ServerImages.cluster().train(1).state();
  private final ServerMetrics metrics = new ServerMetrics(() -> image);
  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpFront front;

  MethodsTest() throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            () -> image, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.empty()));
  }

  @AfterEach
  void close() {
    front.close();
    metrics.close();
  }

  private HttpResponse<String> ask(String method, String path) throws Exception {
    return ask(method, path, "");
  }

  private HttpResponse<String> ask(String method, String path, String body) throws Exception {
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path));
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void probes_accept_head_requests() throws Exception {
    assertThat(ask("HEAD", "/healthz").statusCode()).isEqualTo(200);
    assertThat(ask("HEAD", "/readyz").body()).isEmpty();
  }

  @Test
  void standby_is_available_but_not_ready() throws Exception {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies standby =
        new HttpDependencies(
                () -> image,
                () -> Policies.DEFAULT,
                ServerImages.SCOPE,
                webhook,
                metrics,
                () -> false)
            .standingBy(() -> true);
    try (HttpFront other =
        HttpFront.start(standby, new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.empty()))) {
      assertThat(status(other, "/available")).isEqualTo(200);
      assertThat(status(other, "/readyz")).isEqualTo(503);
    }
  }

  private int status(HttpFront server, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path));
    return client
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void wrong_method_is_answered_with_the_allowed_one() throws Exception {
    HttpResponse<String> posted = ask("POST", "/healthz");
    assertThat(posted.statusCode()).isEqualTo(405);
    assertThat(posted.body()).contains("Did you mean GET?");
    assertThat(posted.headers().firstValue("Allow")).contains("GET, HEAD");
    HttpResponse<String> put = ask("PUT", "/scheduler/filter");
    assertThat(put.body()).contains("Did you mean POST?");
    assertThat(put.headers().firstValue("Allow")).contains("POST");
  }

  @Test
  void each_path_of_the_webhook_has_its_function() throws Exception {
    String pod =
        "{\"spec\":{\"schedulingGroup\":{\"podGroupName\":\"train\"},\"containers\":[{\"name\":\"c\"}]}}";
    String review =
        "{\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r\",\"operation\":\"CREATE\",\"namespace\":\"ml\",\"object\":%s}}"
            .formatted(pod);

    assertThat(patch("/webhook/gate/pods", review)).contains("Gates").doesNotContain("VISIBLE");
    assertThat(patch("/webhook/hide-gpus/pods", review))
        .contains("VISIBLE")
        .doesNotContain("Gates");
    assertThat(patch("/webhook/pods", review)).contains("Gates", "VISIBLE");
  }

  private String patch(String path, String review) throws Exception {
    String answer = ask("POST", path, review).body();
    String coded = answer.replaceAll(".*\"patch\":\"([^\"]*)\".*", "$1");
    return new String(Base64.getDecoder().decode(coded), StandardCharsets.UTF_8);
  }
}
