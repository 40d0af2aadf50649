package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import dev.muster.server.http.page.PageQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/// All gangs by name: which run, where, for whom?
///
/// @param headline the answer in one sentence
/// @param filters filters with their present values
/// @param rows the first gangs
/// @param more number of gangs that are not shown
record GangsScreen(String headline, List<Filter> filters, List<Row> rows, int more) {
  private static final int MOST_NODES = 4;

  /// A gang.
  ///
  /// @param bound bound members of its minimum
  /// @param runs time since its start; `-` before it
  record Row(
      String gang,
      String href,
      String queue,
      String user,
      String state,
      String bound,
      String gpus,
      String shape,
      String runs,
      String nodes,
      String reason) {}

  /// Returns the screen.
  ///
  /// @param gangs answer about the first gangs
  /// @param running number of gangs that run
  /// @param query the parameters with which it was asked
  static GangsScreen of(JsonNode gangs, int running, PageQuery query, String base) {
    List<Row> rows = new ArrayList<>();
    gangs.path("items").forEach(gang -> rows.add(row(gang, gangs, base)));
    int all = gangs.at("/total/gangs").asInt();
    int others = gangs.at("/others/gangs").asInt();
    return new GangsScreen(
        "%s, of which %d run.%s"
            .formatted(
                HumanText.count(all, "gang"),
                running,
                others == 0 ? "" : " %s of others.".formatted(HumanText.count(others, "gang"))),
        List.of(
            Filter.of("name", query),
            Filter.of("namespace", query),
            Filter.of("queue", query),
            Filter.of("user", query)),
        rows,
        all - rows.size());
  }

  private static Row row(JsonNode gang, JsonNode gangs, String base) {
    return new Row(
        HumanText.id(gang),
        ScreenUrl.gang(base, gang.path("namespace").asText(), gang.path("name").asText()),
        HumanText.text(gang.path("queue")),
        HumanText.text(gang.path("user")),
        gang.path("verdict").asText(),
        "%s of %s".formatted(gang.path("bound").asText(), gang.path("minCount").asText()),
        gang.path("gpus").asText(),
        HumanText.shape(gang),
        HumanText.since(gang.path("startedAt"), gangs),
        nodes(gang),
        HumanText.text(gang.path("reason")));
  }

  private static String nodes(JsonNode gang) {
    List<String> nodes = List.copyOf(new TreeSet<>(gang.path("members").findValuesAsText("node")));
    if (nodes.isEmpty()) {
      return "-";
    }
    String first = String.join(", ", nodes.subList(0, Math.min(MOST_NODES, nodes.size())));
    return nodes.size() <= MOST_NODES
        ? first
        : "%s and %d more".formatted(first, nodes.size() - MOST_NODES);
  }
}
