package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import dev.muster.server.http.access.ReviewedAccess;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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
    return http.send(request(path, headers), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(String path, String... headers) {
    URI page = URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path));
    return HttpRequest.newBuilder(page).headers(headers).build();
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

  /// Reviews of invented tokens take time, and one address cannot use up all of them.
  @Test
  @EnabledOnOs(OS.LINUX) // others have one loopback address
  @Timeout(60)
  void invented_tokens_of_another_address_keep_no_caller_out() throws Exception {
    try (HttpClient other =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .localAddress(InetAddress.getByName("127.0.0.2"))
            .build()) {
      CompletableFuture<Integer> refused = new CompletableFuture<>();
      List<CompletableFuture<Void>> asked = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        HttpRequest invented = request("/api/v1/gangs", "Authorization", "Bearer invented-" + i);
        asked.add(
            other
                .sendAsync(invented, HttpResponse.BodyHandlers.discarding())
                .thenAccept(answer -> {
                  if (answer.statusCode() == 503) {
                    refused.complete(503);
                  }
                }));
      }
      CompletableFuture.anyOf(
              refused, CompletableFuture.allOf(asked.toArray(new CompletableFuture<?>[0])))
          .get(30, TimeUnit.SECONDS); // now the address has all that it gets
      assertThat(get("/api/v1/gangs", "Authorization", "Bearer t-ann").statusCode()).isEqualTo(200);
      asked.forEach(each -> each.cancel(true));
      other.shutdownNow();
    }
  }
}
