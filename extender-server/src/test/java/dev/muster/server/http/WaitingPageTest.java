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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The line of waiting gangs is served over a real connection, each caller's part of it.
///
/// ```
/// gpu-1, gpu-2, gpu-3   8 GPUs each, all used by ml/train
/// waiting               bio/c (first of all), ml/a, ml/b; ml/wide never fits
/// ```
class WaitingPageTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Instant NOW = ServerImages.NOW;

  private State image =
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

  WaitingPageTest() throws IOException {
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
            .reviewing(WaitingPageTest::byNamespace);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty()));
  }

  /// A caller sees the namespace that it names instead of a token; without one, everything.
  private static void byNamespace(
      Optional<String> authorization,
      Supplier<Set<GangScope>> asked,
      Consumer<PageAccess.Answer> answer) {
    answer.accept(
        new PageAccess.Granted(
            authorization
                .map(namespace -> new PageView(Set.of(), GangScope.all(namespace), true))
                .orElse(PageView.WHOLE)));
  }

  private void submit(
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

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    URI page = URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path));
    HttpRequest.Builder request = HttpRequest.newBuilder(page);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode page(String path, String... headers) throws Exception {
    HttpResponse<String> answer = get(path, headers);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return MAPPER.readTree(answer.body());
  }

  private static List<String> lines(JsonNode page) {
    List<String> lines = new ArrayList<>();
    for (JsonNode item : page.path("items")) {
      lines.add(
          "%s/%s %s %s"
              .formatted(
                  item.path("namespace").asText(),
                  item.path("name").asText(),
                  item.path("position").asText("-"),
                  item.path("positionInQueue").asText("-")));
    }
    return lines;
  }

  @Test
  void shows_the_line_with_positions_and_last_those_that_never_start() throws Exception {
    JsonNode page = page("/api/v1/waiting");

    assertThat(lines(page)).containsExactly("bio/c 1 1", "ml/a 2 1", "ml/b 3 2", "ml/wide - -");
    assertThat(page.path("total")).hasToString("{\"gangs\":4,\"gpus\":36}");
    assertThat(page.path("reasons"))
        .hasToString(
            "[{\"reason\":\"ImpossibleRequest\",\"gangs\":1,\"gpus\":16},{\"reason\":\"WaitingForCapacity\",\"gangs\":3,\"gpus\":20}]");
    assertThat(page.has("others")).isFalse();
    assertThat(page.has("next")).isFalse();
  }

  @Test
  void shows_what_a_gang_waits_for() throws Exception {
    JsonNode first = page("/api/v1/waiting?limit=1").path("items").path(0);

    assertThat(first)
        .hasToString(
            "{\"namespace\":\"bio\",\"name\":\"c\",\"origin\":\"PodGroup\",\"queue\":\"biology\",\"user\":\"ann\",\"verdict\":\"Waits\",\"position\":1,\"positionInQueue\":1,\"priority\":0,\"gpus\":8,\"shape\":[{\"pods\":1,\"gpus\":8}],\"models\":[],\"since\":\"2026-11-21T12:00:10Z\",\"reason\":\"WaitingForCapacity\",\"message\":\"Needs 8 nvidia.com/gpu; free on matching nodes: 0 nvidia.com/gpu.\"}");
  }

  @Test
  void pages_of_one_show_every_gang_once() throws Exception {
    List<String> seen = new ArrayList<>();
    String after = "";
    do {
      JsonNode page = page("/api/v1/waiting?limit=1" + after);
      seen.addAll(lines(page));
      after = page.has("next") ? "&after=" + page.path("next").asText() : "";
    } while (!after.isEmpty());

    assertThat(seen).containsExactly("bio/c 1 1", "ml/a 2 1", "ml/b 3 2", "ml/wide - -");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "queue=biology -> bio/c",
        "namespace=ml -> ml/a ml/b ml/wide",
        "reason=ImpossibleRequest -> ml/wide",
        "user=ann -> bio/c ml/b",
        "user=ann&queue=research -> ml/b",
        "user=nobody -> "
      })
  void filters_show_a_part(String row) throws Exception {
    String[] parts = row.split(" -> ", -1);
    JsonNode page = page("/api/v1/waiting?" + parts[0]);

    List<String> names =
        lines(page).stream().map(line -> line.substring(0, line.indexOf(' '))).toList();
    assertThat(String.join(" ", names)).isEqualTo(parts[1]);
    assertThat(page.path("total").path("gangs").asInt()).isEqualTo(names.size());
  }

  @Test
  void tenant_keeps_the_position_among_all_and_sees_no_name_of_others() throws Exception {
    HttpResponse<String> answer = get("/api/v1/waiting", "Authorization", "ml");
    JsonNode page = MAPPER.readTree(answer.body());

    assertThat(lines(page)).containsExactly("ml/a 2 1", "ml/b 3 2", "ml/wide - -");
    assertThat(page.path("others")).hasToString("{\"gangs\":1,\"gpus\":8}");
    assertThat(answer.body()).doesNotContain("bio", "\"c\"");
  }

  /// Else a caller could guess the names of others by filters.
  @Test
  void others_are_counted_whatever_the_filter() throws Exception {
    for (String filter : List.of("user=ann", "namespace=bio", "queue=biology", "user=nobody")) {
      assertThat(page("/api/v1/waiting?" + filter, "Authorization", "ml").path("others"))
          .hasToString("{\"gangs\":1,\"gpus\":8}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "waiting?quue=x -> The parameter \"quue\" is not known. Did you mean \"queue\"? Known: after, limit, namespace, queue, reason, user.",
        "waiting?limit=0 -> The parameter \"limit\" must be 1 to 500.",
        "waiting?limit=x -> The parameter \"limit\" must be 1 to 500.",
        "waiting?limit=501 -> The parameter \"limit\" must be 1 to 500.",
        "waiting?after=x -> The parameter \"after\" must be the value of \"next\" of the page before.",
        "waiting?user=a&user=b -> The parameter \"user\" is given twice.",
        "gangs?limit=1 -> The parameter \"limit\" is not known. Known: name, namespace, pod, queue, user.",
        "nodes?x=1 -> The parameter \"x\" is not known. This page has no parameters.",
        "queues?x -> The parameter \"x\" is not known. This page has no parameters.",
        "preemptions?since=1h -> The parameter \"since\" is not known. This page has no parameters.",
        "server?x=1 -> The parameter \"x\" is not known. This page has no parameters.",
        "gangs/ml/a?x=1 -> The parameter \"x\" is not known. Known: origin.",
        "gangs/ml/a?origin=x -> The parameter \"origin\" must be one of PodGroup, Native, Volcano, Pod."
      })
  void unknown_parameters_are_refused(String row) throws Exception {
    String[] parts = row.split(" -> ", -1);
    HttpResponse<String> answer = get("/api/v1/" + parts[0]);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(MAPPER.readTree(answer.body()).path("error").asText()).isEqualTo(parts[1]);
  }

  @Test
  void gangs_are_found_by_a_pod() throws Exception {
    assertThat(page("/api/v1/gangs?namespace=ml&pod=a-0").path("items").findValuesAsText("user"))
        .containsExactly("bob");
  }

  @Test
  void gang_states_verdict_shape_and_start() throws Exception {
    assertThat(get("/api/v1/gangs/ml/train").body())
        .contains(
            "\"verdict\":\"Runs\",\"startedAt\":\"2026-11-21T12:00:00Z\",\"gpus\":24,\"shape\":[{\"pods\":3,\"gpus\":8}]");
    assertThat(page("/api/v1/gangs/ml/wide").path("verdict").asText()).isEqualTo("Never");
    assertThat(get("/api/v1/gangs/ml/a").body())
        .contains("\"verdict\":\"Waits\"", "\"position\":2,\"positionInQueue\":1");
  }

  @Test
  void nodes_name_only_the_gangs_that_the_caller_sees() throws Exception {
    JsonNode seen = page("/api/v1/nodes", "Authorization", "ml").path("items").path(1);
    JsonNode hidden = page("/api/v1/nodes", "Authorization", "bio").path("items").path(1);

    assertThat(seen.path("gangs"))
        .hasToString(
            "[{\"namespace\":\"ml\",\"name\":\"train\",\"pods\":1,\"gpus\":8,\"promisedPods\":0}]");
    assertThat(hidden.path("gangs")).isEmpty();
    assertThat(hidden.path("otherPods")).hasToString("{\"pods\":1,\"gpus\":8}");
  }

  @Test
  void server_states_release_leader_and_time() throws Exception {
    assertThat(get("/api/v1/server").body())
        .isEqualTo(
            "{\"apiVersion\":\"api.muster.dev/v1\",\"kind\":\"Server\",\"release\":\"1.2.3\",\"leading\":false,\"ready\":true,\"counts\":{\"nodes\":4,\"gangs\":5,\"waiting\":4},\"asOf\":\"2026-11-21T12:00:30Z\",\"version\":%d}"
                .formatted(image.cluster().version()));
  }

  @Test
  void unchanged_page_is_not_sent_again() throws Exception {
    for (String page : List.of("waiting", "gangs", "gangs/ml/a", "nodes", "queues", "server")) {
      HttpResponse<String> first = get("/api/v1/" + page);
      String tag = first.headers().firstValue("ETag").orElseThrow();
      HttpResponse<String> again = get("/api/v1/" + page, "If-None-Match", "\"x\", " + tag);

      assertThat(again.statusCode()).as(page).isEqualTo(304);
      assertThat(again.body()).isEmpty();
      assertThat(again.headers().firstValue("ETag")).contains(tag);
    }
  }

  @Test
  void page_that_differs_in_its_moment_alone_is_not_sent_again() throws Exception {
    String tag = get("/api/v1/waiting").headers().firstValue("ETag").orElseThrow();

    image = image.with(image.cluster().apply(new Event.Tick(NOW.plusSeconds(60))));

    assertThat(get("/api/v1/waiting", "If-None-Match", tag).statusCode()).isEqualTo(304);
  }

  @Test
  void gangs_are_found_by_name() throws Exception {
    assertThat(page("/api/v1/gangs?name=a").path("items").findValuesAsText("namespace"))
        .containsExactly("ml");
  }

  @Test
  void lone_pod_with_the_name_of_a_pod_group_is_found_by_its_kind() throws Exception {
    for (Event event : ServerImages.lonePod("train", 8)) {
      image = new Engine(Policies.DEFAULT).step(image, event).after();
    }

    assertThat(page("/api/v1/gangs/ml/train?origin=Pod").path("origin").asText()).isEqualTo("Pod");
    assertThat(page("/api/v1/gangs/ml/train").path("origin").asText()).isEqualTo("PodGroup");
    assertThat(get("/api/v1/gangs/ml/train?origin=Volcano").statusCode()).isEqualTo(404);
  }

  @Test
  void value_of_a_parameter_is_not_taken_for_another_parameter() throws Exception {
    page("/api/v1/gangs?namespace=ml&queue=research");

    assertThat(page("/api/v1/gangs?namespace=ml,%20queue=research").path("items")).isEmpty();
  }

  @Test
  void changed_page_and_page_of_another_caller_are_sent() throws Exception {
    String tag = get("/api/v1/waiting").headers().firstValue("ETag").orElseThrow();
    assertThat(get("/api/v1/waiting", "If-None-Match", tag, "Authorization", "ml").statusCode())
        .isEqualTo(200);

    submit("ml", "new", "research", 8, 40, Map.of());

    assertThat(get("/api/v1/waiting", "If-None-Match", tag).statusCode()).isEqualTo(200);
  }
}
