package dev.muster.deploy.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Lists print what their pages say. A watched list is printed again when something happened, not
/// when a second has passed.
class ListCommandTest {
  private static JsonNode page(String time, String name, int share) throws Exception {
    return new ObjectMapper()
        .readTree(
            """
            {"items": [{"name": "%s", "rank": {"share": %d}, "share": %d}], "asOf": "%s", "version": %d}
            """
                .formatted(name, share, share, time, share));
  }

  @Test
  void passing_time_changes_nothing() throws Exception {
    assertThat(ListCommand.lasting(page("2026-11-27T12:00:00Z", "a", 1)))
        .isEqualTo(ListCommand.lasting(page("2026-11-27T12:00:01Z", "a", 2)));
  }

  @Test
  void another_gang_is_a_change() throws Exception {
    assertThat(ListCommand.lasting(page("2026-11-27T12:00:00Z", "a", 1)))
        .isNotEqualTo(ListCommand.lasting(page("2026-11-27T12:00:00Z", "b", 1)));
  }

  @Test
  void page_itself_stays_whole() throws Exception {
    JsonNode page = page("2026-11-27T12:00:00Z", "a", 1);
    ListCommand.lasting(page);

    assertThat(page.has("asOf")).isTrue();
  }

  @Test
  void absence_of_budgets_says_where_they_are_set() throws Exception {
    assertThat(new BudgetsCommand().printed(page("{'items': [], 'asOf': '2026-11-27T12:00:00Z'}")))
        .isEqualToIgnoringNewLines(
            "0 budgets. Budgets are set in muster.yaml, under budgets. As of 12:00:00Z.");
  }

  @Test
  void shares_of_small_usage_are_exact() throws Exception {
    JsonNode page =
        page(
            """
            {'items': [
              {'queue': 'a', 'milliGpuHours': 0, 'milliGpuSeconds': 900},
              {'queue': 'b', 'milliGpuHours': 0, 'milliGpuSeconds': 2700}
            ], 'total': {'milliGpuHours': 1, 'milliGpuSeconds': 3600}}
            """);

    assertThat(new UsageCommand().listing(page).rows().rows())
        .extracting(List::getLast)
        .containsExactly("25 %", "75 %");
  }

  private static JsonNode page(String json) throws Exception {
    return new ObjectMapper().readTree(json.replace('\'', '"'));
  }
}
