package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.server.http.access.ReviewedAccess;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Callers of the pages show their tokens directly, or behind the proxy of the API server.
class PageTokensTest {
  private final ReviewServer api =
      new ReviewServer(
          Map.of("t-ann", "ann"), Map.of("ann", Set.of("scheduling.x-k8s.io ml podgroups")));
  private final KubernetesClient client = api.client();
  private final ReviewedAccess access = new ReviewedAccess(client);
  private final ServerImages image = ServerImages.cluster().train(1).waiting("w0");
  private final ServerMetrics metrics = new ServerMetrics(image::state);
  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpFront front;

  PageTokensTest() throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
                image::state,
                () -> Policies.DEFAULT,
                ServerImages.SCOPE,
                webhook,
                metrics,
                () -> true)
            .reviewing(access);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty()));
  }

  @AfterEach
  void close() {
    front.close();
    access.close();
    client.close();
    api.close();
    metrics.close();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    URI page = URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path));
    return http.send(
        HttpRequest.newBuilder(page).headers(headers).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /// The API server's proxy of services removes the usual header.
  @Test
  void token_may_come_in_the_header_of_a_proxy() throws Exception {
    assertThat(get("/api/v1/gangs", "X-Forwarded-Authorization", "Bearer t-ann").body())
        .contains("train");
    assertThat(get("/api/v1/gangs", "X-Forwarded-Authorization", "Bearer t-nobody").statusCode())
        .isEqualTo(401);
  }

  @Test
  void usual_header_counts_before_that_of_a_proxy() throws Exception {
    HttpResponse<String> answer =
        get(
            "/api/v1/gangs",
            "Authorization",
            "Bearer t-ann",
            "X-Forwarded-Authorization",
            "Bearer t-nobody");

    assertThat(answer.statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"aud\":[\"muster.dev\"]}", "{\"aud\":\"muster.dev\"}"})
  void token_for_the_pages_alone_is_reviewed_as_such(String claims) throws Exception {
    get("/api/v1/gangs", "Authorization", "Bearer " + webToken(claims));

    assertThat(api.audiences).containsExactly("[\"muster.dev\"]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"aud\":[\"https://kubernetes.default.svc\"]}", "{}", "[", ""})
  void other_token_is_reviewed_for_the_api_server(String claims) throws Exception {
    get("/api/v1/gangs", "Authorization", "Bearer " + webToken(claims));

    assertThat(api.audiences).containsExactly("");
  }

  private static String webToken(String claims) {
    return "e30.%s.x"
        .formatted(
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(claims.getBytes(StandardCharsets.UTF_8)));
  }
}
