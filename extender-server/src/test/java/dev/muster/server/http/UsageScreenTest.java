package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.screen.Frame;
import dev.muster.server.http.screen.Screens;
import java.util.LinkedHashMap;
import org.junit.jupiter.api.Test;

/// The screen about usage shows exact shares.
class UsageScreenTest {
  @Test
  void shares_of_small_sums_add_up() throws Exception {
    LinkedHashMap<String, JsonNode> answers = new LinkedHashMap<>();
    answers.put(
        "queue",
        json(
            """
            {'items': [
              {'queue': 'a', 'milliGpuHours': 0, 'milliGpuSeconds': 900},
              {'queue': 'b', 'milliGpuHours': 0, 'milliGpuSeconds': 2700}
            ], 'total': {'milliGpuHours': 1, 'milliGpuSeconds': 3600}}
            """));

    assertThat(
            Screens.usage(new Frame("Usage", "/usage", false), answers, json("{}"), PageQuery.NONE))
        .contains("25 %", "75 %");
  }

  private static JsonNode json(String text) throws Exception {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }
}
