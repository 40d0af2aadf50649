package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Long lists are served in parts, in the wanted order.
class ListPartsTest extends WaitingScene {
  ListPartsTest() throws IOException {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "waiting?offset=1&limit=2 -> ml/a ml/b",
        "waiting?offset=9 -> ",
        "waiting?sort=wait -> ml/wide bio/c ml/a ml/b",
        "waiting?sort=gpus&limit=2 -> ml/wide bio/c",
        "gangs?limit=2&offset=1 -> ml/a ml/b",
        "gangs?sort=gpus&limit=2 -> ml/train ml/wide",
        "gangs?sort=start&limit=1 -> ml/train",
        "gangs?verdict=Runs -> ml/train",
        "gangs?verdict=Never,Runs -> ml/train ml/wide",
        "queues -> /biology /research",
        "queues?limit=1&offset=1 -> /research",
        "queues?sort=gpus&limit=1 -> /research",
        "nodes?limit=1&offset=1 -> /gpu-1",
        "nodes?sort=used&limit=1 -> /gpu-1"
      })
  void list_is_served_in_parts_and_in_the_wanted_order(String row) throws Exception {
    String[] parts = row.split(" -> ", -1);

    assertThat(String.join(" ", names(page("/api/v1/" + parts[0])))).isEqualTo(parts[1]);
  }

  private static List<String> names(JsonNode page) {
    return page.path("items")
        .valueStream()
        .map(item -> item.path("namespace").asText() + "/" + item.path("name").asText())
        .toList();
  }

  @Test
  void total_counts_the_whole_list_and_not_the_part() throws Exception {
    assertThat(page("/api/v1/waiting?limit=1&offset=2").path("total"))
        .hasToString("{\"gangs\":4,\"gpus\":36}");
    assertThat(page("/api/v1/gangs?limit=1&namespace=ml").path("total"))
        .hasToString("{\"gangs\":4,\"gpus\":52}");
    assertThat(page("/api/v1/nodes?limit=1").at("/total/nodes").asInt()).isEqualTo(4);
    assertThat(page("/api/v1/queues?limit=1").at("/total/inUse/gpus").asInt()).isEqualTo(24);
  }

  @Test
  void queues_of_any_name_are_shown_up_to_a_limit() throws Exception {
    for (int i = 0; i < 510; i++) {
      submit("ml", "g" + i, "q" + i, 1, 60, Map.of());
    }

    assertThat(page("/api/v1/queues").path("items")).hasSize(500);
    assertThat(page("/api/v1/queues").at("/total/queues").asInt()).isEqualTo(512);
    assertThat(get("/share").body())
        .contains("24 GPUs in use by 512 queues.", "The first 500 are shown; 12 more.")
        .contains("research");
  }
}
