package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import dev.muster.server.http.access.ReviewedAccess;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The web pages show a browser what the API shows to the same caller.
class ScreensTest {
  private static final String GROUP = "scheduling.x-k8s.io";
  private static final GangId SECRET = new GangId("bio", GangId.Origin.POD_GROUP, "secret");

  private final ReviewServer api =
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
  private final HttpFront front;

  ScreensTest() throws IOException {
    front = start(true);
  }

  private HttpFront start(boolean reviewed) throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            image::state, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    dependencies =
        dependencies.noting(
            () -> List.of(act("bio/secret", "bio/x"), act("ml/train", "bio/secret")));
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

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path)));
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = request(path);
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> as(String token, String path) throws Exception {
    return get(path, "Authorization", "Bearer " + token);
  }

  private HttpResponse<String> give(String token, String... headers) throws Exception {
    String form = "to=queue&token=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
    HttpRequest.Builder request =
        request("/session")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  private static String cookie(HttpResponse<String> answer) {
    return answer.headers().firstValue("Set-Cookie").orElse("").split(";", 2)[0];
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/queue", "/gangs/ml/train", "/share", "/preemptions", "/server"})
  void screen_without_token_asks_for_one(String path) throws Exception {
    HttpResponse<String> answer = get(path);

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(answer.body())
        .contains("<form class=\"token\" method=\"post\"", "kubectl -n NAMESPACE create token")
        .doesNotContain("gpu-1", "research", "w0");
    assertThat(api.asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/queue", "/assets/muster.css", "/assets/live.js"})
  void every_answer_restricts_the_browser(String path) throws Exception {
    HttpResponse<String> answer = as("t-admin", path);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(answer.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/queue", "/gangs/ml/train", "/share", "/preemptions", "/server"})
  void screen_loads_nothing_from_elsewhere(String path) throws Exception {
    assertThat(as("t-admin", path).body())
        .doesNotContain("http:", "https:", "//", "style=", "<style", "onclick", "<script>");
  }

  @Test
  void admin_sees_nodes_and_gangs() throws Exception {
    assertThat(as("t-admin", "/").body())
        .contains("20 of 24 GPUs free on 3 nodes.", "bio/secret (4)", "gpu-1");
    assertThat(as("t-admin", "/queue").body()).contains("ml/train", "1 waiting gang for 8 GPUs.");
  }

  @Test
  void tenant_sees_no_gang_and_no_node_of_others() throws Exception {
    for (String path :
        List.of("/", "/queue", "/queue?namespace=bio", "/share", "/preemptions", "/server")) {
      assertThat(as("t-ann", path).body()).doesNotContain("secret", "bio/", "biology", "gpu-1");
    }
    assertThat(as("t-ann", "/preemptions").body()).contains("ml/train", "a gang of others");
    assertThat(as("t-ann", "/gangs/bio/secret").statusCode()).isEqualTo(403);
    assertThat(as("t-ann", "/gangs/bio/secret").body())
        .isEqualTo(as("t-ann", "/gangs/bio/absent").body().replace("absent", "secret"));
    assertThat(as("t-ann", "/").body()).contains("You may not list the nodes");
    assertThat(as("t-ann", "/queue").body()).contains("ml/train");
  }

  @Test
  void given_token_is_kept_by_the_browser_in_a_form_that_only_muster_reads() throws Exception {
    HttpResponse<String> answer = give("t-ann");

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("./queue");
    assertThat(answer.headers().firstValue("Set-Cookie").orElse(""))
        .contains("HTTPOnly", "SameSite=Strict", "Max-Age=28800")
        .doesNotContain("t-ann");
    assertThat(get("/queue", "Cookie", cookie(answer)).body())
        .contains("ml/train", "Forget my token");
  }

  @Test
  void kept_token_opens_no_page_of_the_api() throws Exception {
    String cookie = cookie(give("t-ann"));

    assertThat(get("/api/v1/gangs", "Cookie", cookie).statusCode()).isEqualTo(401);
  }

  @Test
  void refused_token_is_told_and_forgotten() throws Exception {
    HttpResponse<String> answer = get("/queue", "Cookie", cookie(give("t-old")));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("It may have expired.", "<form class=\"token\"");
    assertThat(answer.headers().firstValue("Set-Cookie").orElse("")).contains("Max-Age=0");
  }

  @Test
  void cookie_of_another_process_is_no_token() throws Exception {
    HttpResponse<String> answer = get("/queue", "Cookie", "muster-token=dDphZG1pbg");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("Muster has restarted");
    assertThat(api.asked).isEmpty();
  }

  @Test
  void token_is_forgotten_on_demand() throws Exception {
    HttpResponse<String> answer =
        send(
            request("/session/end")
                .header("Cookie", cookie(give("t-ann")))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.noBody()));

    assertThat(answer.headers().firstValue("Location")).hasValue("../");
    assertThat(answer.headers().firstValue("Set-Cookie").orElse("")).contains("Max-Age=0");
  }

  @Test
  void other_sites_cannot_give_a_token() throws Exception {
    HttpResponse<String> answer = give("t-ann", "Sec-Fetch-Site", "cross-site");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"//evil.example", "/evil", "https://evil.example", "../x", "a\r\nb"})
  void form_returns_to_muster_only(String to) throws Exception {
    String form = "token=t-ann&to=" + URLEncoder.encode(to, StandardCharsets.UTF_8);
    HttpResponse<String> answer =
        send(
            request("/session")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));

    assertThat(answer.headers().firstValue("Location")).hasValue("./");
  }

  @Test
  void token_that_no_cookie_can_keep_is_refused() throws Exception {
    assertThat(give("t".repeat(2_901)).body()).contains("too long for a cookie");
    assertThat(give("").body()).contains("The form has no token.");
  }

  @Test
  void open_pages_ask_for_no_token() throws Exception {
    try (HttpFront open = start(false)) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/".formatted(open.port())));

      assertThat(send(request).body()).contains("bio/secret").doesNotContain("<form");
    }
  }

  @Test
  void unknown_parameter_is_refused_in_words() throws Exception {
    HttpResponse<String> answer = as("t-admin", "/queue?quue=a");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("Did you mean").contains("<html");
  }

  @Test
  void empty_fields_of_the_form_filter_nothing() throws Exception {
    assertThat(as("t-admin", "/queue?namespace=&queue=&user=&reason=").body()).contains("ml/train");
  }

  @Test
  void unchanged_screen_is_not_sent_again() throws Exception {
    String tag = as("t-admin", "/queue").headers().firstValue("ETag").orElse("");

    HttpResponse<String> answer =
        get("/queue", "Authorization", "Bearer t-admin", "If-None-Match", tag);

    assertThat(answer.statusCode()).isEqualTo(304);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void gang_tells_what_happened_and_what_comes_next() throws Exception {
    assertThat(as("t-admin", "/gangs/ml/train").body())
        .contains(
            "Next: wait.",
            "It preempts 1 gang.",
            "w0",
            "kubectl muster why gang/train -n ml",
            "../../assets/muster.css");
  }

  @Test
  void gang_that_nobody_has_seen_is_not_found() throws Exception {
    HttpResponse<String> answer = as("t-admin", "/gangs/ml/absent");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("<html", "No gang ml/absent was seen.");
  }

  /// Such a name cannot come from Kubernetes, but a path can hold anything.
  @Test
  void markup_in_a_path_is_text() throws Exception {
    String name = URLEncoder.encode("<script>alert(1)</script>\u202e", StandardCharsets.UTF_8);
    HttpResponse<String> answer = as("t-admin", "/gangs/ml/" + name);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("&lt;script&gt;").doesNotContain("<script>", "\u202e");
  }

  @Test
  void screens_are_read_only() throws Exception {
    HttpResponse<String> answer =
        send(request("/queue").POST(HttpRequest.BodyPublishers.ofString("")));

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).hasValue("GET, HEAD");
  }

  @Test
  void without_the_api_server_screens_say_so() throws Exception {
    api.close();

    HttpResponse<String> answer = as("t-ann", "/queue");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("<html", "Scheduling does not depend on this.");
  }
}
