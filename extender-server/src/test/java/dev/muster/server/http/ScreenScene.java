package dev.muster.server.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Step;
import dev.muster.policy.config.Budget;
import dev.muster.policy.config.Budget.OnExceeded;
import dev.muster.server.http.access.ReviewedAccess;
import dev.muster.server.usage.UsageBook;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/// A server with two tenants, one of whom may see everything, and requests of a browser.
abstract class ScreenScene {
  private static final String GROUP = "scheduling.x-k8s.io";
  private static final GangId SECRET = new GangId("bio", GangId.Origin.POD_GROUP, "secret");

  final ReviewServer api =
      new ReviewServer(
          Map.of("t-admin", "admin", "t-ann", "ann"),
          Map.of(
              "admin",
              Set.of(
                  GROUP + "  podgroups",
                  "scheduling.volcano.sh  podgroups",
                  "scheduling.k8s.io  podgroups",
                  "  nodes"),
              "ann",
              Set.of(GROUP + " ml podgroups")));
  private final KubernetesClient client = api.client();
  private final ReviewedAccess access = new ReviewedAccess(client);
  private final ServerImages image =
      ServerImages.cluster()
          .train(1)
          .waiting("w0")
          .after(
              new Event.GangSeen(
                  ServerImages.NOW, GangSpec.of(SECRET, 1, "biology", ServerImages.NOW)))
          .after(new Event.MemberSeen(ServerImages.NOW, secretMember()));
  private final ServerMetrics metrics = new ServerMetrics(image::state);
  private final HttpClient http = HttpClient.newHttpClient();
  final HttpFront front;

  ScreenScene() throws IOException {
    front = start(true);
  }

  HttpFront start(boolean reviewed) throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            image::state, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    dependencies =
        dependencies.noting(
            () -> List.of(act("bio/secret", "bio/x"), act("ml/train", "bio/secret")));
    UsageBook book =
        BudgetScene.open(
            new Budget(BudgetOwner.queue("biology"), 3, Budget.Period.MONTH, OnExceeded.TELL),
            new Budget(BudgetOwner.project("llm"), 90, Budget.Period.YEAR, OnExceeded.HOLD));
    book.note(new Step(image.state(), List.of(), List.of()));
    Event later = new Event.Tick(ServerImages.NOW.plusSeconds(3_600));
    book.note(new Step(image.after(later).state(), List.of(), List.of()));
    book.write();
    dependencies = dependencies.accounting(book);
    return HttpFront.start(
        reviewed ? dependencies.reviewing(access) : dependencies,
        new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty()));
  }

  private static ObjectNode act(String gang, String victim) {
    ObjectNode act =
        JsonNodeFactory.instance
            .objectNode()
            .put("at", ServerImages.NOW.toString())
            .put("act", "decided")
            .put("gang", gang);
    act.putArray("victims").addObject().put("gang", victim).put("pods", 3).put("rule", "lower");
    return act;
  }

  private static Member secretMember() {
    Request request = Request.of(Resources.of(Map.of(ServerImages.GPU, 4L, Resources.PODS, 1L)), 4);
    return new Member(
        new MemberId("bio", "s0", "uid-s0"),
        SECRET,
        0,
        0,
        request,
        GangConstraints.NONE,
        new MemberState.Bound(new NodeId("gpu-1"), ServerImages.NOW),
        ServerImages.NOW);
  }

  @AfterEach
  void close() {
    front.close();
    access.close();
    client.close();
    api.close();
    metrics.close();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path)));
  }

  HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = request(path);
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /// Returns the lines of an answer as they come.
  Stream<String> lines(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofLines()).body();
  }

  HttpResponse<String> as(String token, String path) throws Exception {
    return get(path, "Authorization", "Bearer " + token);
  }

  HttpResponse<String> give(String token, String... headers) throws Exception {
    String form = "to=queue&token=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
    HttpRequest.Builder request =
        request("/session")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  static String cookie(HttpResponse<String> answer) {
    return answer.headers().firstValue("Set-Cookie").orElse("").split(";", 2)[0];
  }
}
