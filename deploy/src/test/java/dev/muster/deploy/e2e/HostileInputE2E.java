package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Input that no kube-scheduler sends gets a clear refusal, and the next pod is served normally.
class HostileInputE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final List<String> ENDPOINTS =
      List.of(
          "/scheduler/filter",
          "/scheduler/prioritize",
          "/scheduler/preempt",
          "/webhook/gate/pods",
          "/webhook/hide-gpus/pods",
          "/webhook/pods");
  private static final String DEEP = "[".repeat(100_000);

  private final HttpClient http = STAGE.files().knownClient();

  @AfterEach
  void close() {
    http.close();
  }

  static Stream<Arguments> bodies() {
    Map<String, String> bodies =
        Map.of(
            "empty", "",
            "no JSON", "Pod=1&Nodes=2",
            "cut short", "{\"Pod\": {\"metadata\": {\"name\": \"x\"",
            "an array", "[1, 2, 3]",
            "null", "null",
            "wrong types", "{\"Pod\": 7, \"NodeNames\": \"n0\", \"Nodes\": true}",
            "nested without end", DEEP,
            "nested objects", "{\"a\":".repeat(50_000) + "1" + "}".repeat(50_000),
            "a number without end", "{\"Pod\": " + "9".repeat(100_000) + "}");
    return ENDPOINTS.stream()
        .flatMap(path ->
            bodies.keySet().stream()
                .sorted()
                .map(name -> Arguments.of(path, name, bodies.get(name))));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("bodies")
  void malformed_body_is_refused(String path, String name, String body) throws Exception {
    HttpResponse<String> answer = post(path, body);

    assertThat(isRefusal(answer))
        .as("%s: %d %s", name, answer.statusCode(), answer.body())
        .isTrue();
    assertThat(answer.body()).isNotBlank().doesNotContain("\tat ", "Exception");
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void body_over_the_limit_is_refused_as_too_large(String path) throws Exception {
    HttpResponse<String> answer = post(path, "{\"Pod\": \"" + "x".repeat(17 << 20) + "\"}");

    assertThat(answer.statusCode()).isEqualTo(413);
  }

  static List<String> endpoints() {
    return ENDPOINTS;
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void another_method_is_refused(String path) throws Exception {
    var request =
        HttpRequest.newBuilder(STAGE.secure().resolve(path))
            .timeout(Duration.ofSeconds(10))
            .GET()
            .build();
    assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
  }

  @Test
  void unknown_path_is_not_found() throws Exception {
    assertThat(post("/scheduler/../../etc/passwd", "{}").statusCode()).isBetween(400, 404);
    assertThat(post("/scheduler/bind", "{}").statusCode()).isEqualTo(404);
  }

  @Test
  void unfinished_request_blocks_no_other_request() throws IOException, InterruptedException {
    try (var slow = new Socket(InetAddress.getLoopbackAddress(), STAGE.muster().getPort())) {
      String head =
          "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
      slow.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      slow.getOutputStream().flush();

      var request =
          HttpRequest.newBuilder(STAGE.muster().resolve("/healthz"))
              .timeout(Duration.ofSeconds(5))
              .build();
      assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void pods_are_served_after_hostile_requests() throws Exception {
    for (String path : ENDPOINTS) {
      post(path, DEEP);
      post(path, "{\"Pod\": \"" + "x".repeat(17 << 20) + "\"}");
    }
    STAGE.cluster().createNodes(NodeShape.withGpus("calm", 8));
    STAGE.cluster().create(gpuPod("calm", 8));

    STAGE.cluster().awaitRunning("calm");
  }

  private static boolean isRefusal(HttpResponse<String> answer) {
    int status = answer.statusCode();
    return (status >= 400 && status < 500)
        || (status == 200 && answer.body().matches("(?s).*\"[Ee]rror\":\"[^\"].*"));
  }

  private HttpResponse<String> post(String path, String body)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(STAGE.secure().resolve(path))
            .version(HttpClient.Version.HTTP_1_1)
            .timeout(Duration.ofSeconds(20))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  @BeforeEach
  void answers() {
    assertThat(STAGE.isReady()).isTrue();
  }
}
