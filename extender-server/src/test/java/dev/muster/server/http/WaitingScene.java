package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.page.ServerFacts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/// A Muster over HTTP in whose full cluster gangs wait.
///
/// ```
/// gpu-1, gpu-2, gpu-3   8 GPUs each, all used by ml/train
/// waiting               bio/c (first of all), ml/a, ml/b; ml/wide never fits
/// ```
abstract class WaitingScene {
  static final ObjectMapper MAPPER = new ObjectMapper();
  static final Instant NOW = ServerImages.NOW;

  State image =
      ServerImages.cluster()
          .train(3)
          .bound("r0", "gpu-1")
          .bound("r1", "gpu-2")
          .bound("r2", "gpu-3")
          .state();
  private final ServerMetrics metrics = new ServerMetrics(() -> image);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpFront front;

  WaitingScene() throws IOException {
    submit("ml", "b", "research", 8, 30, Map.of("muster.dev/user", "ann"));
    submit("ml", "a", "research", 4, 20, Map.of("muster.dev/user", "bob"));
    submit("ml", "wide", "research", 16, 5, Map.of());
    submit("bio", "c", "biology", 8, 10, Map.of("muster.dev/user", "ann"));
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
                () -> image,
                () -> Policies.DEFAULT,
                ServerImages.SCOPE,
                webhook,
                metrics,
                () -> true)
            .running(new ServerFacts("1.2.3", () -> false))
            .reviewing(WaitingScene::byNamespace);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty()));
  }

  /// A caller sees the namespace that it names instead of a token; without one, everything.
  private static void byNamespace(PageAccess.Request request, Consumer<PageAccess.Answer> answer) {
    answer.accept(
        new PageAccess.Granted(
            request
                .authorization()
                .map(namespace -> new PageView(Set.of(), GangScope.all(namespace), true))
                .orElse(PageView.WHOLE)));
  }

  void submit(
      String namespace,
      String name,
      String queue,
      int gpus,
      int second,
      Map<String, String> labels) {
    GangId gang = new GangId(namespace, GangId.Origin.POD_GROUP, name);
    Instant at = NOW.plusSeconds(second);
    GangSpec spec = GangSpec.of(gang, 1, queue, at).labelled(new TreeMap<>(labels));
    Request request =
        Request.of(Resources.of(Map.of(ServerImages.GPU, (long) gpus, Resources.PODS, 1L)), gpus);
    Member pod =
        new Member(
            new MemberId(namespace, name + "-0", "uid-" + name),
            gang,
            0,
            0,
            request,
            GangConstraints.NONE,
            new MemberState.Held(false),
            at);
    for (Event event : List.of(new Event.GangSeen(at, spec), new Event.MemberSeen(at, pod))) {
      image = new Engine(Policies.DEFAULT).step(image, event).after();
    }
  }

  @AfterEach
  void close() {
    front.close();
    metrics.close();
  }

  HttpResponse<String> get(String path, String... headers) throws Exception {
    URI page = URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path));
    HttpRequest.Builder request = HttpRequest.newBuilder(page);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  JsonNode page(String path, String... headers) throws Exception {
    HttpResponse<String> answer = get(path, headers);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return MAPPER.readTree(answer.body());
  }
}
