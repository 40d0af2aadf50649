package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Long pages of the API are compressed for callers who take this, over real connections.
class CompressedPagesTest {
  private ServerImages image = ServerImages.cluster().train(3).waiting("r0");
  private final ServerMetrics metrics = new ServerMetrics(() -> image.state());
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpFront front;

  CompressedPagesTest() throws Exception {
    for (int i = 0; i < 50; i++) {
      image = image.node("more-" + i, 8);
    }
    HttpDependencies dependencies =
        new HttpDependencies(
            () -> image.state(),
            () -> Policies.DEFAULT,
            ServerImages.SCOPE,
            new WebhookOptions(true, true, _ -> Map.of()),
            metrics,
            () -> true);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty()));
  }

  @AfterEach
  void close() {
    front.close();
    metrics.close();
  }

  private HttpResponse<byte[]> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path)));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static Optional<String> encoding(HttpResponse<?> answer) {
    return answer.headers().firstValue("Content-Encoding");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/nodes", "/api/v1/openapi.json", "/assets/muster.css"})
  void compressed_page_is_the_same_page_and_shorter(String path) throws Exception {
    HttpResponse<byte[]> plain = get(path);
    HttpResponse<byte[]> packed = get(path, "Accept-Encoding", "br, gzip");

    assertThat(encoding(packed)).contains("gzip");
    assertThat(packed.body().length).isLessThan(plain.body().length / 2);
    assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
        .isEqualTo(plain.body());
    assertThat(packed.headers().firstValue("ETag")).isEqualTo(plain.headers().firstValue("ETag"));
  }

  /// Else a cache between would give the compressed page to all.
  @Test
  void every_answer_about_a_page_says_that_it_varies() throws Exception {
    HttpResponse<byte[]> plain = get("/api/v1/nodes");
    String tag = plain.headers().firstValue("ETag").orElseThrow();
    HttpResponse<byte[]> same =
        get("/api/v1/nodes", "If-None-Match", tag, "Accept-Encoding", "gzip");

    assertThat(plain.headers().firstValue("Vary")).contains("accept-encoding");
    assertThat(same.statusCode()).isEqualTo(304);
    assertThat(same.headers().firstValue("Vary")).contains("accept-encoding");
  }

  @ParameterizedTest
  @ValueSource(strings = {"identity", "gzip;q=0", "gzip; q=0.0", "br", "gzipped"})
  void caller_who_does_not_take_it_gets_the_plain_page(String accepted) throws Exception {
    get("/api/v1/nodes", "Accept-Encoding", "gzip");

    HttpResponse<byte[]> answer = get("/api/v1/nodes", "Accept-Encoding", accepted);

    assertThat(encoding(answer)).isEmpty();
    assertThat(new String(answer.body(), StandardCharsets.UTF_8)).startsWith("{");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/server", "/api/v1/queues?x", "/", "/queue"})
  void short_answers_and_screens_are_not_compressed(String path) throws Exception {
    assertThat(encoding(get(path, "Accept-Encoding", "gzip"))).isEmpty();
  }

  @Test
  void head_states_the_length_of_what_get_would_send() throws Exception {
    HttpRequest head =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/api/v1/nodes".formatted(front.port())))
            .method("HEAD", HttpRequest.BodyPublishers.noBody())
            .header("Accept-Encoding", "gzip")
            .build();
    HttpResponse<Void> answer = client.send(head, HttpResponse.BodyHandlers.discarding());

    assertThat(answer.headers().firstValue("Content-Length"))
        .contains(String.valueOf(get("/api/v1/nodes", "Accept-Encoding", "gzip").body().length));
  }
}
