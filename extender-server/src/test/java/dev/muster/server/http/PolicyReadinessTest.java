package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.policy.preemption.load.PolicyWatch.Status;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// `/readyz` shows the result of loading the preemption policy.
class PolicyReadinessTest {
  private final ServerImages image = ServerImages.cluster();
  private final ServerMetrics metrics = new ServerMetrics(image::state);

  private HttpResponse<String> readyz(Status status) throws IOException, InterruptedException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
                image::state,
                () -> Policies.DEFAULT,
                ServerImages.SCOPE,
                webhook,
                metrics,
                () -> true)
            .with(() -> status);
    try (HttpFront front =
            HttpFront.start(
                dependencies, new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.empty()));
        HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:%d/readyz".formatted(front.port()));
      return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void invalid_policy_is_shown_but_does_not_stop_the_server() throws Exception {
    Instant loaded = Instant.parse("2026-11-02T12:00:00Z");
    FileProblem problem = new FileProblem("p.yaml", 3, 7, "mode", "\"On\" is not known.");

    HttpResponse<String> answer =
        readyz(new Status("0123456789ab", loaded, loaded.plusSeconds(60), List.of(problem)));

    assertThat(answer.body())
        .contains(
            """
            "policy":{"revision":"0123456789ab","loadedAt":"2026-11-02T12:00:00Z",\
            "checkedAt":"2026-11-02T12:01:00Z","problems":["p.yaml:3:7: mode: \\"On\\" is not known."]}\
            """);
    assertThat(answer.statusCode()).isEqualTo(200);
  }
}
