package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.engine.Engine;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.page.GangView;
import dev.muster.server.http.page.MalformedQuery;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.page.PreemptionView;
import dev.muster.server.http.page.QueueView;
import dev.muster.server.metrics.QueueMetrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Queues are shown over a real connection.
class QueuePagesTest {
  private final State image =
      ServerImages.cluster().train(1).waiting("w0").waiting("w1").promised("w0", "gpu-2").state();
  private final ServerMetrics metrics = new ServerMetrics(() -> image);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpFront front;

  QueuePagesTest() throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            () -> image, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty()));
  }

  @AfterEach
  void close() {
    front.close();
    metrics.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    URI page = URI.create("http://127.0.0.1:%d%s".formatted(front.port(), path));
    return client.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shows_queues_and_the_rank_of_a_gang() throws Exception {
    assertThat(get("/api/v1/queues").body())
        .startsWith("{\"apiVersion\":\"api.muster.dev/v1\",\"kind\":\"QueueList\",\"items\":[")
        .contains(
            "{\"name\":\"research\",\"weight\":1,\"namespaces\":[],\"guaranteed\":{\"models\":{}}")
        .contains("\"inUse\":{\"gpus\":8,\"models\":{\"unlabelled\":8}}")
        .contains("\"share\":8000,\"waiting\":{\"gangs\":1,\"gpus\":8}");
    assertThat(get("/api/v1/gangs/ml/train").body())
        .contains("\"rank\":{\"priority\":0,\"share\":8000,\"createdAt\":");
  }

  @Test
  void measures_the_queues_that_are_configured() throws Exception {
    Queues queues = Queues.of(List.of(Queue.of("research").guaranteed(Quota.of(16))));
    new QueueMetrics(metrics.registry(), () -> image, queues).register();
    assertThat(get("/metrics").body())
        .contains("muster_queue_gpus_used{queue=\"research\"} 8.0")
        .contains("muster_queue_gpus_guaranteed{queue=\"research\"} 16.0")
        .contains("muster_queue_gangs_waiting{queue=\"research\"} 1.0")
        .contains("muster_queue_share_gpu_hours{queue=\"research\"} 8.0")
        .doesNotContain("muster_queue_gpus_max");
  }

  @Test
  void shows_the_best_linked_free_gpus_of_a_node() {
    Node dgx =
        new Node(
            new NodeId("dgx"),
            new TreeMap<>(Map.of("nvidia.com/gpu.product", "Tesla-V100-SXM2-32GB")),
            Resources.of(ServerImages.GPU, 8),
            8,
            GpuModel.UNKNOWN,
            List.of(),
            false,
            List.of(),
            Optional.of(new TreeSet<>(List.of(0, 1, 2, 3, 4, 5, 6, 7))));
    State promised =
        ServerImages.cluster()
            .after(new Event.NodeSeen(ServerImages.NOW, dgx))
            .train(1)
            .waiting("w0")
            .promised("w0", "dgx")
            .state();

    assertThat(
            GangView.whole(
                    promised.cluster().gang(ServerImages.TRAIN),
                    promised,
                    Policies.DEFAULT,
                    PageView.WHOLE)
                .toString())
        .contains("\"promised\":\"dgx\",\"link\":{\"gpus\":[0,1,2,3,4,5,6,7],\"mbps\":400000}");
  }

  @Test
  void shows_what_would_start_a_gang_sooner() throws Exception {
    State full =
        ServerImages.cluster()
            .train(1)
            .bound("r0", "gpu-1")
            .bound("r1", "gpu-2")
            .bound("r2", "gpu-3")
            .state();
    State waits = full;
    for (Event event : ServerImages.lonePod("late", 8)) {
      waits = new Engine(Policies.DEFAULT).step(waits, event).after();
    }
    assertThat(
            GangView.whole(
                    waits.cluster().gang(ServerImages.lone("late")),
                    waits,
                    Policies.DEFAULT,
                    PageView.WHOLE)
                .toString())
        .contains("\"before\":0")
        .contains("\"sooner\":[\"It could start when ml/train ends.\"]");
  }

  @Test
  void counts_the_nodes_that_refuse_by_their_reason() throws Exception {
    State waits = ServerImages.cluster().state();
    for (Event event : ServerImages.lonePod("huge", 64)) {
      waits = new Engine(Policies.DEFAULT).step(waits, event).after();
    }
    assertThat(
            GangView.whole(
                    waits.cluster().gang(ServerImages.lone("huge")),
                    waits,
                    Policies.DEFAULT,
                    PageView.WHOLE)
                .toString())
        .contains("\"consideredNodes\":4,\"refusals\":[{\"reason\":\"NodeTooSmall\",\"nodes\":4}]");
  }

  private static final GangId PROD = new GangId("bio", GangId.Origin.POD_GROUP, "prod");
  private static final PageView TENANT =
      new PageView(Set.of(), Set.of(GangScope.of(ServerImages.TRAIN)), false);

  /// `bio/prod` uses 8 GPUs of the queue, and `ml/train` waits for as many.
  private static ServerImages two(String queue) {
    return ServerImages.cluster()
        .after(new Event.GangSeen(ServerImages.NOW, GangSpec.of(PROD, 1, queue, ServerImages.NOW)))
        .member(PROD, "p0", new MemberState.Bound(new NodeId("gpu-1"), ServerImages.NOW))
        .waiting("w0");
  }

  private static JsonNode queues(State state) throws MalformedQuery {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    return QueueView.addTo(
        json, state.cluster(), Queues.NONE, TENANT, QueueView.part(PageQuery.NONE));
  }

  @Test
  void naming_the_queue_of_another_namespace_shows_only_the_own_part() throws Exception {
    GangSpec spy = GangSpec.of(ServerImages.TRAIN, 1, "bio", ServerImages.NOW);
    JsonNode shown = queues(two("bio").after(new Event.GangSeen(ServerImages.NOW, spy)).state());

    assertThat(shown.path("items").path(0))
        .hasToString(
            "{\"name\":\"bio\",\"weight\":1,\"namespaces\":[],\"guaranteed\":{\"models\":{}},\"maximum\":{\"models\":{}},\"inUse\":{\"gpus\":0,\"models\":{}},\"waiting\":{\"gangs\":1,\"gpus\":8}}");
    assertThat(shown.path("others"))
        .hasToString("{\"queues\":1,\"inUse\":{\"gpus\":8},\"waiting\":{\"gangs\":0,\"gpus\":0}}");
  }

  @Test
  void rank_shows_the_share_of_no_queue_that_the_caller_does_not_see_as_a_whole() {
    GangSpec spy = GangSpec.of(ServerImages.TRAIN, 1, "bio", ServerImages.NOW);
    State state = two("bio").after(new Event.GangSeen(ServerImages.NOW, spy)).state();

    assertThat(train(state, TENANT)).contains("\"rank\":{\"priority\":0,\"createdAt\":");
    assertThat(train(state, PageView.WHOLE)).contains("\"rank\":{\"priority\":0,\"share\":8000,");
  }

  @Test
  void rank_shows_the_share_of_a_queue_that_the_caller_sees_as_a_whole() {
    GangSpec own = GangSpec.of(ServerImages.TRAIN, 1, "ml", ServerImages.NOW);
    State state = two("ml").after(new Event.GangSeen(ServerImages.NOW, own)).state();

    assertThat(train(state, TENANT)).contains("\"rank\":{\"priority\":0,\"share\":8000,");
  }

  @Test
  void queue_of_the_own_namespace_is_shown_as_a_whole() throws Exception {
    JsonNode shown = queues(two("ml").state());

    assertThat(shown.path("items").findValuesAsText("name")).containsExactly("ml");
    assertThat(shown.at("/items/0/inUse/gpus").asInt()).isEqualTo(8);
    assertThat(shown.at("/items/0/share").isNumber()).isTrue();
  }

  private static String train(State state, PageView view) {
    return GangView.whole(state.cluster().gang(ServerImages.TRAIN), state, Policies.DEFAULT, view)
        .toString();
  }

  @Test
  void message_names_no_gang_that_the_caller_may_not_see() {
    Instant start = ServerImages.NOW.plusSeconds(60);
    State state = two("bio").train(1).waits(new Veto.WouldDelay(PROD, Optional.of(start))).state();

    assertThat(train(state, TENANT))
        .contains("would delay another gang, which is planned to start on these nodes at")
        .doesNotContain("bio");
    assertThat(train(state, PageView.WHOLE)).contains("would delay bio/prod");
  }

  private static JsonNode ledger(String... acts) throws IOException {
    List<ObjectNode> ledger = new ArrayList<>();
    for (String act : acts) {
      ledger.add((ObjectNode) new ObjectMapper().readTree(act));
    }
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    return PreemptionView.all(json, two("bio").state(), ledger, TENANT).path("ledger");
  }

  @Test
  void acts_name_no_hidden_preemptor_and_no_node() throws Exception {
    JsonNode acts =
        ledger(
            "{\"act\":\"decided\",\"gang\":\"bio/prod\",\"nodes\":[\"gpu-1\"],\"victims\":[{\"gang\":\"ml/train\",\"pods\":1}]}",
            "{\"act\":\"evicted\",\"gang\":\"ml/train\",\"why\":\"Preempted for bio/prod by the rule r.\",\"pods\":1}",
            "{\"act\":\"spared\",\"gang\":\"ml/train\",\"by\":\"bio/prod\"}");

    assertThat(acts).hasSize(3);
    assertThat(acts.toString()).contains("ml/train").doesNotContain("bio", "gpu-1", "why");
  }

  @Test
  void acts_about_a_kind_of_gang_that_the_caller_may_not_list_are_counted() throws Exception {
    assertThat(ledger("{\"act\":\"evicted\",\"gang\":\"ml/gone\",\"pods\":1}")).isEmpty();
  }

  @Test
  void every_metric_has_a_help_text() {
    State state = ServerImages.cluster().train(2).waits(new Veto.TooFewMembers(1, 2, 0)).state();
    Decision waits = state.standing().get(ServerImages.TRAIN).orElseThrow();
    metrics.stepped(new Step(state, List.of(waits), List.of()), Duration.ofMillis(3));

    assertThat(metrics.scrape().lines().filter(line -> line.startsWith("# HELP muster_")))
        .isNotEmpty()
        .allMatch(line -> line.split(" ", 4).length == 4 && !line.split(" ", 4)[3].isBlank());
  }
}
