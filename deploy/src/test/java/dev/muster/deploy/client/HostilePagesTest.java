package dev.muster.deploy.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// Texts of tenants reach a terminal as text: it obeys none of them.
class HostilePagesTest {
  private static final String GANG =
      """
      {"namespace":"ml","name":"a","origin":"PodGroup","verdict":"Waits","queue":"q\\u001b]0;x\\u0007",
       "gpus":8,"shape":[{"pods":1,"gpus":8}],"models":["H\\u001b[2J\\nroot\\u009b1m\\u202e\\u2028"],
       "reason":"R\\u001b[0m","message":"m\\r\\u001b[A","user":"u\\u0085","priority":0,"position":1,
       "sooner":["s\\u001b[K"],"members":[]}
      """;
  private static final String LIST = "{\"items\":[%s],\"total\":{\"gangs\":1}}".formatted(GANG);

  private static void isPlain(String text) {
    assertThat(text).contains("[2J").doesNotContainPattern("[\\p{Cc}\\u2028\\u202e&&[^\\n]]");
  }

  private static String list(ListCommand command, String... options) {
    StringWriter out = new StringWriter();
    new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(options);
    JsonNode empty = GivenPages.json("{\"items\":[]}");
    GivenPages pages =
        new GivenPages().with("/api/v1/waiting?limit=500", LIST).with("/api/v1/gangs", LIST);
    command.look(pages, empty, new PrintWriter(out));
    return out.toString();
  }

  @Test
  void table_is_plain_and_has_a_line_for_each_gang() {
    String table = list(new QueueCommand(), "-o", "wide", "--no-headers");

    isPlain(table);
    assertThat(table.strip().lines()).hasSize(1);
  }

  @Test
  void answer_of_why_is_plain() {
    StringWriter out = new StringWriter();
    WhyCommand.print(
        WhyCommand.report(GivenPages.json(GANG), new GivenPages()), new PrintWriter(out));

    isPlain(out.toString());
    assertThat(out.toString().lines()).hasSize(5);
  }

  @Test
  void json_is_plain_and_means_the_same() {
    String json = list(new GangsCommand(), "-o", "json");

    isPlain(json);
    assertThat(GivenPages.json(json)).isEqualTo(GivenPages.json(LIST));
  }

  @Test
  void yaml_is_plain() {
    isPlain(list(new GangsCommand(), "-o", "yaml"));
  }

  @Test
  void error_of_a_page_is_one_plain_line() {
    assertThat(new PageProblem(404, "No\n\u001b[2Jgang")).hasMessage("No  [2Jgang");
  }

  @Test
  void gang_of_two_pages_is_shown_once() {
    GivenPages pages =
        new GivenPages()
            .with("/api/v1/waiting?limit=500", two("a", "b", ",\"next\":\"x\""))
            .with("/api/v1/waiting?limit=500&after=x", two("b", "c", ""));

    assertThat(new QueueCommand().read(pages).path("items").findValuesAsText("name"))
        .containsExactly("a", "b", "c");
  }

  private static String two(String first, String second, String more) {
    String gang = "{\"namespace\":\"ml\",\"name\":\"%s\",\"origin\":\"PodGroup\"}";
    return "{\"items\":[%s,%s]%s}".formatted(gang.formatted(first), gang.formatted(second), more);
  }

  @Test
  void lone_pod_is_not_taken_for_a_gang_of_its_name() {
    GivenPages pages =
        new GivenPages()
            .with(
                "/api/v1/gangs?namespace=ml&pod=train",
                "{\"items\":[{\"namespace\":\"ml\",\"name\":\"train\",\"origin\":\"Pod\"}]}");
    new GangSearch(pages, "ml").find("pod/train");

    assertThat(pages.asked()).endsWith("/api/v1/gangs/ml/train?origin=Pod");
  }
}
