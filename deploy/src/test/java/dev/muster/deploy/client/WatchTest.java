package dev.muster.deploy.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// A watched list is printed again when it has changed, and only then.
class WatchTest {
  private static final JsonNode FIRST = page(8, 1, "2026-11-27T12:00:00Z");

  private final StringWriter err = new StringWriter();

  private static JsonNode page(int free, int others, String at) {
    return GivenPages.json(
        "{\"items\":[{\"name\":\"h-1\",\"gpus\":{\"total\":8,\"free\":%d}}],\"others\":{\"nodes\":%d},\"asOf\":\"%s\",\"version\":7}"
            .formatted(free, others, at));
  }

  private NodesCommand nodes(String... options) {
    NodesCommand command = new NodesCommand();
    new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setErr(new PrintWriter(err, true))
        .parseArgs(options);
    return command;
  }

  private static String printed(NodesCommand command, JsonNode now) {
    StringWriter out = new StringWriter();
    command.look(
        new GivenPages().with("/api/v1/nodes", now.toString()), FIRST, new PrintWriter(out));
    return out.toString();
  }

  @Test
  void changed_last_row_without_headers_is_printed() {
    assertThat(printed(nodes("--no-headers"), page(7, 1, "2026-11-27T12:00:02Z"))).contains("h-1");
  }

  @Test
  void changed_sum_of_others_is_printed() {
    assertThat(printed(nodes(), page(8, 2, "2026-11-27T12:00:02Z"))).contains("3 nodes");
  }

  @Test
  void page_of_a_later_moment_is_not_printed_in_any_format() {
    for (String format : new String[] {"table", "wide", "json", "yaml", "name"}) {
      assertThat(printed(nodes("-o", format), page(8, 1, "2026-11-27T12:00:02Z")))
          .as(format)
          .isEmpty();
    }
  }

  @Test
  void passing_error_is_told_once_and_the_last_list_stays() {
    NodesCommand command = nodes();
    for (int i = 0; i < 3; i++) {
      assertThat(command.look(new GivenPages().failing(503), FIRST, new PrintWriter(err)))
          .isSameAs(FIRST);
    }

    assertThat(err.toString().lines()).hasSize(1).allMatch(line -> line.contains("no answer"));
  }

  @Test
  void lasting_error_ends_the_watch() {
    assertThatThrownBy(
            () -> nodes().look(new GivenPages().failing(403), FIRST, new PrintWriter(err)))
        .isInstanceOf(PageProblem.class);
  }
}
