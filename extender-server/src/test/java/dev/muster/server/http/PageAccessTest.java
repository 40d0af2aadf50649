package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.ReviewedAccess;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The pages show each caller what Kubernetes lets it list, and numbers of the rest.
class PageAccessTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String GROUP = "scheduling.x-k8s.io";
  private static final GangId SECRET = new GangId("bio", GangId.Origin.POD_GROUP, "secret");

  private final ReviewServer api =
      new ReviewServer(
          Map.of("t-admin", "admin", "t-ann", "ann", "t-ann-2", "ann", "t-bob", "bob"),
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
          .after(new Event.GangSeen(ServerImages.NOW, spec()))
          .after(new Event.MemberSeen(ServerImages.NOW, member("s0")))
          .after(new Event.MemberSeen(ServerImages.NOW, member("s1")));
  private final ServerMetrics metrics = new ServerMetrics(image::state);
  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpFront front;

  PageAccessTest() throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
                image::state,
                () -> Policies.DEFAULT,
                ServerImages.SCOPE,
                webhook,
                metrics,
                () -> true)
            .noting(() -> List.of(act("ml/train", "bio/secret"), act("bio/secret", "bio/other")))
            .reviewing(access);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty()));
  }

  private static GangSpec spec() {
    return GangSpec.of(SECRET, 1, "biology", ServerImages.NOW);
  }

  private static Member member(String pod) {
    Request request = Request.of(Resources.of(Map.of(ServerImages.GPU, 4L, Resources.PODS, 1L)), 4);
    return new Member(
        new MemberId("bio", pod, "uid-" + pod),
        SECRET,
        0,
        0,
        request,
        GangConstraints.NONE,
        new MemberState.Bound(new NodeId("gpu-1"), ServerImages.NOW),
        ServerImages.NOW);
  }

  private static ObjectNode act(String gang, String victim) {
    ObjectNode act = MAPPER.createObjectNode().put("act", "decided").put("gang", gang);
    act.putArray("victims").addObject().put("gang", victim).put("pods", 3);
    return act;
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
    HttpRequest.Builder request = HttpRequest.newBuilder(page);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> as(String token, String path) throws Exception {
    return get(path, "Authorization", "Bearer " + token);
  }

  private JsonNode page(String token, String path) throws Exception {
    HttpResponse<String> answer = as(token, path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return MAPPER.readTree(answer.body());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"gangs", "gangs/ml/train", "queues", "nodes", "preemptions", "server", "waiting"})
  void caller_without_token_gets_no_page(String page) throws Exception {
    HttpResponse<String> answer = get("/api/v1/" + page);

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("kubectl create token").doesNotContain("gpu-1", "train");
    assertThat(api.asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Basic dDphZG1pbg==", "Bearer", "Bearer  ", "t-admin"})
  void other_credentials_are_no_token(String header) throws Exception {
    assertThat(get("/api/v1/gangs", "Authorization", header).statusCode()).isEqualTo(401);
    assertThat(api.asked).isEmpty();
  }

  @Test
  void invented_token_gets_no_page() throws Exception {
    HttpResponse<String> answer = as("t-nobody", "/api/v1/gangs");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("does not accept this token");
  }

  @Test
  void admin_sees_everything() throws Exception {
    JsonNode gangs = page("t-admin", "/api/v1/gangs");

    assertThat(gangs.path("items").findValuesAsText("name")).contains("train", "secret");
    assertThat(gangs.has("others")).isFalse();
    assertThat(page("t-admin", "/api/v1/nodes").path("items")).hasSize(4);
    assertThat(page("t-admin", "/api/v1/queues").path("items")).hasSize(2);
    assertThat(page("t-admin", "/api/v1/preemptions").path("ledger")).hasSize(2);
  }

  @Test
  void tenant_sees_its_gangs_and_the_number_of_others() throws Exception {
    JsonNode gangs = page("t-ann", "/api/v1/gangs");

    assertThat(gangs.path("items")).hasSize(1);
    assertThat(gangs.path("items").path(0).path("name").asText()).isEqualTo("train");
    assertThat(gangs.path("others")).hasToString("{\"gangs\":1,\"pods\":2}");
    assertThat(gangs.toString()).doesNotContain("bio", "secret");
  }

  @Test
  void tenant_sees_no_gang_of_another_namespace() throws Exception {
    HttpResponse<String> there = as("t-ann", "/api/v1/gangs/bio/secret");
    HttpResponse<String> absent = as("t-ann", "/api/v1/gangs/bio/nothing");

    assertThat(there.statusCode()).isEqualTo(403);
    assertThat(absent.statusCode()).isEqualTo(403);
    assertThat(absent.body()).isEqualTo(there.body());
    assertThat(as("t-ann", "/api/v1/gangs/ml/train").statusCode()).isEqualTo(200);
  }

  @Test
  void tenant_sees_sums_of_nodes() throws Exception {
    JsonNode nodes = page("t-ann", "/api/v1/nodes");

    assertThat(nodes.path("items")).isEmpty();
    assertThat(nodes.path("others"))
        .hasToString("{\"nodes\":4,\"gpus\":{\"total\":24,\"free\":16,\"used\":8,\"promised\":0}}");
  }

  @Test
  void tenant_sees_its_queues_and_sums_of_others() throws Exception {
    JsonNode queues = page("t-ann", "/api/v1/queues");

    assertThat(queues.path("items").findValuesAsText("name")).containsExactly("research");
    assertThat(queues.path("others"))
        .hasToString("{\"queues\":1,\"inUse\":{\"gpus\":8},\"waiting\":{\"gangs\":0,\"gpus\":0}}");
  }

  @Test
  void tenant_sees_acts_about_its_gangs_without_the_names_of_others() throws Exception {
    JsonNode acts = page("t-ann", "/api/v1/preemptions");

    assertThat(acts.path("ledger")).hasSize(1);
    assertThat(acts.path("ledger").path(0))
        .hasToString(
            "{\"act\":\"decided\",\"gang\":\"ml/train\",\"victims\":[],\"otherVictims\":{\"gangs\":1,\"pods\":3}}");
    assertThat(acts.path("others").path("acts").asInt()).isEqualTo(1);
    assertThat(acts.toString()).doesNotContain("bio");
  }

  @Test
  void user_without_rights_sees_only_numbers() throws Exception {
    JsonNode gangs = page("t-bob", "/api/v1/gangs");

    assertThat(gangs.path("items")).isEmpty();
    assertThat(gangs.path("others")).hasToString("{\"gangs\":2,\"pods\":3}");
  }

  /// The page of one caller, kept for others, is not shown to them.
  @Test
  void kept_pages_are_not_mixed_up() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(page("t-admin", "/api/v1/gangs").path("items")).hasSize(2);
      assertThat(page("t-ann", "/api/v1/gangs").path("items")).hasSize(1);
      assertThat(page("t-bob", "/api/v1/gangs").path("items")).isEmpty();
    }
  }

  @Test
  void reviews_are_kept() throws Exception {
    page("t-ann", "/api/v1/gangs");
    int before = api.asked.size();
    for (int i = 0; i < 20; i++) {
      page("t-ann", "/api/v1/gangs");
    }
    as("t-nobody", "/api/v1/gangs");
    as("t-nobody", "/api/v1/gangs");

    assertThat(api.asked).hasSize(before + 1);
    assertThat(api.asked).doesNotHaveDuplicates();
  }

  @Test
  void rights_are_kept_for_all_tokens_of_a_user() throws Exception {
    page("t-ann", "/api/v1/gangs");
    int before = api.asked.size();

    page("t-ann-2", "/api/v1/gangs");

    assertThat(api.asked).hasSize(before + 1).endsWith("t-ann-2");
  }

  @Test
  void decision_is_as_old_as_the_oldest_answer_behind_it() throws Exception {
    long first = decidedBy("t-ann");
    long between = System.nanoTime();

    assertThat(decidedBy("t-ann")).isEqualTo(first); // the kept answer about the token
    assertThat(decidedBy("t-ann-2")).isLessThan(between); // the kept answers about rights
  }

  private long decidedBy(String token) throws Exception {
    CompletableFuture<PageAccess.Answer> answer = new CompletableFuture<>();
    access.decide(
        new PageAccess.Request("10.0.0.1", "localhost", Optional.of("Bearer " + token), Set::of),
        answer::complete);
    return ((PageAccess.Granted) answer.get()).since();
  }

  @Test
  void without_the_api_server_pages_are_unavailable_and_extender_calls_are_answered()
      throws Exception {
    api.close();

    HttpResponse<String> page = as("t-ann", "/api/v1/gangs");

    assertThat(page.statusCode()).isEqualTo(503);
    assertThat(page.body()).contains("Scheduling does not depend on this.");
    HttpRequest call =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/scheduler/filter".formatted(front.port())))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(HttpFrontScene.args("w0", "\"gpu-2\"")))
            .build();
    assertThat(http.send(call, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(200);
  }

  @Test
  void few_invented_tokens_are_reviewed_at_one_time() throws Exception {
    CountDownLatch gate = api.hold();
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      URI page = URI.create("http://127.0.0.1:%d/api/v1/gangs".formatted(front.port()));
      HttpRequest request =
          HttpRequest.newBuilder(page).header("Authorization", "Bearer invented-" + i).build();
      answers.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
    }
    await().until(() -> api.most.get() == 4);
    gate.countDown();

    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      assertThat(answer.get().statusCode()).isEqualTo(401);
    }
    assertThat(api.most).hasValue(4);
  }

  @Test
  void callers_of_one_user_at_one_time_are_reviewed_once() throws Exception {
    CountDownLatch gate = api.hold();
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      URI page = URI.create("http://127.0.0.1:%d/api/v1/gangs".formatted(front.port()));
      HttpRequest request =
          HttpRequest.newBuilder(page).header("Authorization", "Bearer t-ann").build();
      answers.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
    }
    gate.countDown();

    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      assertThat(answer.get().statusCode()).isEqualTo(200);
    }
    assertThat(api.asked).doesNotHaveDuplicates();
  }

  @Test
  void failed_reviews_are_not_kept() throws Exception {
    api.status.set(500);
    assertThat(as("t-ann", "/api/v1/gangs").statusCode()).isEqualTo(503);
    api.status.set(403);
    assertThat(as("t-ann", "/api/v1/gangs").body()).contains("Apply deploy/manifests/server");
    api.status.set(201);

    assertThat(page("t-ann", "/api/v1/gangs").path("items")).hasSize(1);
  }
}
