package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A server with a real connection to it.
abstract class HttpFrontScene {
  static final String POD =
      "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ml\",\"uid\":\"uid-%s\",\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"train\"}},\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"8\"}}}]}}";
  static final int MAX_BODY = 8 << 20;

  final AtomicReference<State> image =
      new AtomicReference<>(
          ServerImages.cluster()
              .train(1)
              .waiting("w0")
              .waiting("w1")
              .promised("w0", "gpu-2")
              .state());
  final AtomicBoolean informers = new AtomicBoolean(true);
  final ServerMetrics metrics = new ServerMetrics(image::get);
  final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  HttpFront front;

  HttpFrontScene() throws IOException {
    front = start();
  }

  HttpFront start() throws IOException {
    return HttpFront.start(parts(), new ListenOptions("127.0.0.1", 0, MAX_BODY, Optional.empty()));
  }

  @BeforeEach
  void isUp() throws Exception {
    assertThat(get("/healthz").body()).isEqualTo("ok\n");
  }

  @AfterEach
  void isStillUp() throws Exception {
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    front.close();
    metrics.close();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path)))
        .timeout(Duration.ofSeconds(30));
  }

  HttpResponse<String> get(String path) throws Exception {
    return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    HttpRequest request =
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  static String args(String pod, String names) {
    return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[%s]}"
        .formatted(POD.formatted(pod, pod), names);
  }

  HttpDependencies parts() {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    return new HttpDependencies(
        image::get, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, informers::get);
  }
}
