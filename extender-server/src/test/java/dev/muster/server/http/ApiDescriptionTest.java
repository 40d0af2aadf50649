package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The description of the API has every field, page and parameter that is served, and no other.
class ApiDescriptionTest extends HttpFrontScene {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  ApiDescriptionTest() throws IOException {}

  @Override
  HttpDependencies parts() {
    ObjectNode decided = act("decided").put("enforced", true).put("reason", "Fragmented");
    decided.putArray("victims").addObject().put("gang", "ml/b").put("pods", 2).put("rule", "r");
    return super.parts()
        .accounting(BudgetScene.book())
        .noting(() -> List.of(decided, act("evicted").put("pods", 2).put("why", "Preempted")));
  }

  private static ObjectNode act(String what) {
    return MAPPER
        .createObjectNode()
        .put("version", 1)
        .put("at", "2026-11-21T12:00:00Z")
        .put("act", what)
        .put("gang", "ml/a");
  }

  private JsonNode description() throws Exception {
    HttpResponse<String> answer = get("/api/v1/openapi.json");
    assertThat(answer.statusCode()).isEqualTo(200);
    return MAPPER.readTree(answer.body());
  }

  /// Returns the closed schemas as definitions of a JSON Schema.
  private JsonNode schemas() throws Exception {
    String text = description().at("/components/schemas").toString();
    JsonNode schemas = MAPPER.readTree(text.replace("#/components/schemas/", "#/$defs/"));
    close(schemas);
    return schemas;
  }

  /// Closes every object of the description, so that a field which it lacks is found.
  private static void close(JsonNode description) {
    if (description.path("properties").isObject() && description instanceof ObjectNode object) {
      object.put("additionalProperties", false);
    }
    description.forEach(ApiDescriptionTest::close);
  }

  static Stream<String> pages() {
    return Stream.of(
        "gangs",
        "gangs/ml/train",
        "waiting",
        "queues",
        "nodes",
        "preemptions",
        "usage",
        "budgets",
        "server");
  }

  @ParameterizedTest
  @MethodSource("pages")
  void answer_is_as_described(String page) throws Exception {
    for (State state : List.of(image.get(), waiting())) {
      image.set(state);
      JsonNode answer = MAPPER.readTree(get("/api/v1/" + page).body());
      ObjectNode schema = MAPPER.createObjectNode();
      schema.set("$defs", schemas());
      schema.put("$ref", "#/$defs/" + answer.path("kind").asText());

      assertThat(
              JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                  .getSchema(schema)
                  .validate(answer))
          .as(answer.toString())
          .isEmpty();
    }
  }

  /// All GPUs are used, and a lone pod waits.
  private static State waiting() {
    State waits =
        ServerImages.cluster()
            .train(1)
            .bound("r0", "gpu-1")
            .bound("r1", "gpu-2")
            .bound("r2", "gpu-3")
            .state();
    for (Event event : ServerImages.lonePod("late", 8)) {
      waits = new Engine(Policies.DEFAULT).step(waits, event).after();
    }
    return waits;
  }

  @Test
  void described_pages_are_served_with_their_parameters() throws Exception {
    JsonNode paths = description().path("paths");
    List<String> described = new ArrayList<>();
    paths.fieldNames().forEachRemaining(described::add);

    assertThat(described)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(pages(), Stream.of("changes"))
                .map(page -> page.replace("ml/train", "{namespace}/{name}"))
                .map("/api/v1/"::concat)
                .toList());
    for (String page : Stream.concat(pages(), Stream.of("changes")).toList()) {
      String path = "/api/v1/" + page;
      List<String> names = new ArrayList<>();
      JsonNode parameters =
          paths.path(path.replace("ml/train", "{namespace}/{name}")).at("/get/parameters");
      for (JsonNode parameter : parameters) {
        if (parameter.path("in").asText().equals("query")) {
          names.add(parameter.path("name").asText());
        }
      }
      names.sort(null);
      assertThat(get(path + "?zz=1").body())
          .contains(
              names.isEmpty()
                  ? "This page has no parameters."
                  : "Known: %s.".formatted(String.join(", ", names)));
    }
  }
}
