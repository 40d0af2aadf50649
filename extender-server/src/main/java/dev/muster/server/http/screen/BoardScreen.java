package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import dev.muster.server.http.page.PageQuery;
import java.util.ArrayList;
import java.util.List;

/// The board of waiting gangs: which gang is next, and why not mine?
///
/// @param headline the answer in one sentence
/// @param filters filters with their present values
/// @param reasons gangs by reason
/// @param rows waiting gangs in their order
/// @param first address of the first page; empty on it
/// @param next address of the next page; empty on the last one
record BoardScreen(
    String headline,
    List<Filter> filters,
    List<ReasonSum> reasons,
    List<Row> rows,
    String first,
    String next) {
  /// A waiting gang.
  ///
  /// @param position place among all gangs; `-` without one
  /// @param never true if it does not start as it is
  record Row(
      String position,
      String inQueue,
      String gang,
      String href,
      String queue,
      String user,
      String priority,
      String gpus,
      String shape,
      String waited,
      String planned,
      boolean never,
      String reason,
      String message) {}

  /// Returns the screen.
  ///
  /// @param line answer about waiting gangs
  /// @param query the parameters with which it was asked
  static BoardScreen of(JsonNode line, PageQuery query, String base) {
    ScreenUrl all = ScreenUrl.of(base + "queue");
    for (String name : query.values().keySet()) {
      all = all.with(name, query.values().getOrDefault(name, ""));
    }
    ScreenUrl first = all.with("after", "");
    List<ReasonSum> reasons = new ArrayList<>();
    for (ReasonSum sum : ReasonSum.all(line, base)) {
      reasons.add(
          new ReasonSum(
              sum.reason(), sum.gangs(), sum.gpus(), first.with("reason", sum.reason()).text()));
    }
    List<Row> rows = new ArrayList<>();
    line.path("items").forEach(gang -> rows.add(row(gang, line, base)));
    return new BoardScreen(
        headline(line),
        List.of(
            Filter.of("namespace", query),
            Filter.of("queue", query),
            Filter.of("user", query),
            Filter.of("reason", query)),
        reasons,
        rows,
        query.values().containsKey("after") ? first.text() : "",
        line.has("next") ? all.with("after", line.path("next").asText()).text() : "");
  }

  private static String headline(JsonNode line) {
    String others =
        line.at("/others/gangs").asInt() == 0
            ? ""
            : " %s of others, %s."
                .formatted(
                    HumanText.count(line.at("/others/gangs").asInt(), "gang"),
                    HumanText.count(line.at("/others/gpus").asInt(), "GPU"));
    return "%s for %s.%s"
        .formatted(
            HumanText.count(line.at("/total/gangs").asInt(), "waiting gang"),
            HumanText.count(line.at("/total/gpus").asInt(), "GPU"),
            others);
  }

  private static Row row(JsonNode gang, JsonNode line, String base) {
    return new Row(
        HumanText.text(gang.path("position")),
        HumanText.text(gang.path("positionInQueue")),
        HumanText.id(gang),
        ScreenUrl.gang(base, gang.path("namespace").asText(), gang.path("name").asText()),
        HumanText.text(gang.path("queue")),
        HumanText.text(gang.path("user")),
        gang.path("priority").asText(),
        gang.path("gpus").asText(),
        HumanText.shape(gang),
        HumanText.since(gang.path("since"), line),
        HumanText.clock(gang.path("plannedStart"), line),
        gang.path("verdict").asText().equals("Never"),
        HumanText.text(gang.path("reason")),
        gang.path("message").asText());
  }
}
