package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// Pods without a gang come without a gate while capacity is ample. An early first call of
/// kube-scheduler for such a pod is answered well.
class NewPodsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /// Room for 64 pods of one GPU.
  private static ServerImages ample() {
    ServerImages image = ServerImages.cluster();
    for (String node : List.of("gpu-4", "gpu-5", "gpu-6", "gpu-7", "gpu-8")) {
      image = image.node(node, 8);
    }
    return image;
  }

  private static boolean isGated(State image, String podSpec) throws Exception {
    WebhookOptions options = new WebhookOptions(true, false, _ -> Map.of());
    String review =
        "{\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r\",\"operation\":\"CREATE\",\"namespace\":\"ml\",\"object\":{%s}}}"
            .formatted(podSpec);
    JsonNode answer =
        MAPPER.readTree(
            new PodWebhook(ServerImages.SCOPE, options, gpus -> GateExemption.isAmple(image, gpus))
                .review(PodWebhook.Task.BOTH, review.getBytes(StandardCharsets.UTF_8)));
    return answer.path("response").has("patch");
  }

  private static String gpus(String quantity) {
    return "\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"%s\"}}}]}"
        .formatted(quantity);
  }

  @Test
  void are_ungated_only_while_capacity_is_ample() throws Exception {
    assertThat(isGated(ample().state(), gpus("1"))).isFalse();
    assertThat(isGated(ample().state(), gpus("2"))).isTrue();
    assertThat(isGated(ServerImages.cluster().state(), gpus("1"))).isTrue();
  }

  @Test
  void are_gated_for_unusual_quantities() throws Exception {
    assertThat(isGated(ample().state(), gpus("1k"))).isTrue();
    assertThat(isGated(ample().state(), gpus("0.5"))).isTrue();
  }

  @Test
  void are_gated_in_a_gang_or_behind_other_gates() throws Exception {
    String inGang =
        "\"metadata\":{\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"train\"}}," + gpus("1");
    String gated =
        gpus("1")
            .replace("{\"containers\"", "{\"schedulingGates\":[{\"name\":\"x\"}],\"containers\"");
    assertThat(isGated(ample().state(), inGang)).isTrue();
    assertThat(isGated(ample().state(), gated)).isTrue();
  }

  @Test
  void are_gated_while_another_gang_waits() throws Exception {
    State state = ample().state();
    Engine engine = new Engine(Policies.DEFAULT);
    for (Event event : ServerImages.lonePod("big", 9)) {
      state = engine.step(state, event).after();
    }
    assertThat(isGated(state, gpus("1"))).isTrue();
  }

  @Test
  void are_gated_before_the_initial_sync() throws Exception {
    State unsynced = State.empty(ample().state().cluster().topology());
    assertThat(isGated(unsynced, gpus("1"))).isTrue();
  }

  @Test
  void first_request_for_a_pod_waits_for_its_decision() throws Exception {
    State promised = ServerImages.cluster().train(1).waiting("w0").promised("w0", "gpu-2").state();
    AtomicInteger asked = new AtomicInteger();
    String answer =
        filter(() -> asked.getAndIncrement() == 0 ? ServerImages.cluster().state() : promised);
    assertThat(answer).startsWith("{\"Nodes\":null,\"NodeNames\":[\"gpu-2\"],");
  }

  @Test
  void pod_not_seen_in_time_is_refused() throws Exception {
    assertThat(filter(() -> ServerImages.cluster().state()))
        .contains(
            "\"FailedAndUnresolvableNodes\":{\"gpu-1\":\"muster has not seen this pod yet\"}");
  }

  /// A stranger can make many calls about pods that do not exist.
  @Test
  void few_of_many_waiting_calls_look_again_and_again() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    State still = ServerImages.cluster().state();
    ServerMetrics metrics = new ServerMetrics(() -> still);
    HttpDependencies dependencies =
        new HttpDependencies(
            () -> {
              looks.incrementAndGet();
              return still;
            },
            () -> Policies.DEFAULT,
            ServerImages.SCOPE,
            new WebhookOptions(true, true, _ -> Map.of()),
            metrics,
            () -> true);
    byte[] call =
        HostileRequests.post("/scheduler/filter", HttpFrontScene.args("none", "\"gpu-1\""));
    List<Socket> callers = new ArrayList<>();
    try (HttpFront front =
        HttpFront.start(
            dependencies, new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.empty()))) {
      for (int i = 0; i < 500; i++) {
        callers.add(HostileConnections.open(front.port()));
      }
      for (Socket caller : callers) {
        caller.getOutputStream().write(call);
      }
      for (Socket caller : callers) {
        assertThat(caller.getInputStream().read()).isEqualTo('H');
        caller.close();
      }
    } finally {
      metrics.close();
    }
    assertThat(looks).hasValueLessThan(10_000);
  }

  private static String filter(Supplier<State> image) throws Exception {
    State still = ServerImages.cluster().state();
    ServerMetrics metrics = new ServerMetrics(() -> still);
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            image, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    String body =
        "{\"Pod\":{\"metadata\":{\"name\":\"w0\",\"namespace\":\"ml\",\"uid\":\"uid-w0\",\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"train\"}},\"spec\":{\"containers\":[]}},\"Nodes\":null,\"NodeNames\":[\"gpu-1\",\"gpu-2\"]}";
    try (HttpFront front =
            HttpFront.start(
                dependencies, new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.empty()));
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:%d/scheduler/filter".formatted(front.port())))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } finally {
      metrics.close();
    }
  }
}
