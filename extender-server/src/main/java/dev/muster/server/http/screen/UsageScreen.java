package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import dev.muster.server.http.page.PageQuery;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// GPU-hours: who had how many?
///
/// @param headline the answer in one sentence
/// @param filters filters with their present values
/// @param counted what was counted, as a sentence
/// @param budgets the budgets with what is used of them
/// @param parts the sums by day, queue and so on
record UsageScreen(
    String headline,
    List<Filter> filters,
    String counted,
    List<BudgetRow> budgets,
    List<Part> parts) {
  private static final double MILLI = 1000.0;
  private static final int MOST_ROWS = 31;
  private static final int BAR = 1_000;

  /// Sums by one word.
  ///
  /// @param column the word as the title of a column
  /// @param more number of rows that are not shown
  record Part(String title, String column, List<Row> rows, int more) {}

  /// A sum.
  record Row(String name, GpuPicture picture, String hours, String share) {}

  /// A budget.
  ///
  /// @param ends what happens to it: the day on which it ends, or the moment until which it is
  ///   spent
  record BudgetRow(
      String name, String period, GpuPicture picture, String used, String hours, String ends) {}

  /// Returns the screen.
  ///
  /// @param answers answers about usage, by the word that they are added up by
  /// @param budgets answer about budgets
  /// @param query the parameters with which they were asked
  static UsageScreen of(Map<String, JsonNode> answers, JsonNode budgets, PageQuery query) {
    JsonNode any = answers.values().iterator().next();
    List<Part> parts = new ArrayList<>();
    answers.forEach((word, answer) -> {
      Part part = part(word, answer);
      boolean says = part.rows().stream().anyMatch(row -> !row.name().equals("-"));
      if (says) {
        parts.add(part);
      }
    });
    JsonNode others = any.at("/others/milliGpuHours");
    return new UsageScreen(
        "%s GPU-hours from %s to %s.%s"
            .formatted(
                hours(any.at("/total/milliGpuHours").asLong()),
                any.path("since").asText(),
                any.path("until").asText(),
                others.asLong() == 0
                    ? ""
                    : " %s GPU-hours of others.".formatted(hours(others.asLong()))),
        List.of(
            Filter.of("since", query),
            Filter.of("until", query),
            Filter.of("namespace", query),
            Filter.of("queue", query),
            Filter.of("user", query)),
        counted(any),
        rows(budgets),
        parts);
  }

  private static List<BudgetRow> rows(JsonNode budgets) {
    List<BudgetRow> rows = new ArrayList<>();
    for (JsonNode budget : budgets.path("items")) {
      long most = budget.path("milliGpuHours").asLong();
      long used = budget.path("usedMilliGpuHours").asLong();
      int bar = (int) Math.min(BAR, used * BAR / most);
      rows.add(
          new BudgetRow(
              HumanText.budget(budget),
              budget.path("period").asText(),
              new GpuCount(BAR, bar, 0, BAR - bar, 0).bar(),
              hours(used),
              hours(most),
              HumanText.budgetEnd(budget)));
    }
    return rows;
  }

  private static String counted(JsonNode answer) {
    String since = answer.path("countedSince").asText();
    if (since.isEmpty()) {
      return "Nothing was counted yet; the numbers are written every 10 s.";
    }
    String clock = HumanText.clock(answer.path("countedSince"), answer);
    return answer.path("kept").asBoolean()
        ? "Counted since %s. Days are those of UTC.".formatted(clock)
        : "Counted since the start of Muster, %s. usage.store in muster.yaml keeps the numbers over restarts."
            .formatted(clock);
  }

  private static Part part(String word, JsonNode answer) {
    String column = word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    List<JsonNode> items = new ArrayList<>();
    answer.path("items").forEach(items::add);
    if (word.equals("day")) {
      items.sort(Comparator.comparing((JsonNode item) -> item.path(word).asText()).reversed());
    } else {
      items.sort(Comparator.comparingLong(UsageScreen::exact).reversed());
    }
    long most = items.stream().mapToLong(UsageScreen::exact).max().orElse(0);
    long total = exact(answer.path("total"));
    List<Row> rows =
        items.stream().limit(MOST_ROWS).map(item -> row(item, word, most, total)).toList();
    return new Part("By " + word, column, rows, items.size() - rows.size());
  }

  /// Returns a sum that is not rounded, so that shares of small sums add up.
  private static long exact(JsonNode sum) {
    return sum.path("milliGpuSeconds").asLong();
  }

  private static Row row(JsonNode item, String word, long most, long total) {
    String name = item.path(word).asText();
    long exact = exact(item);
    int used = most == 0 ? 0 : (int) Math.round((double) BAR * exact / most);
    return new Row(
        name.isEmpty() ? "-" : name,
        new GpuCount(BAR, used, 0, BAR - used, 0).bar(),
        hours(item.path("milliGpuHours").asLong()),
        total == 0 ? "-" : "%d %%".formatted(Math.round(100.0 * exact / total)));
  }

  private static String hours(long milli) {
    return String.format(Locale.ROOT, "%,.1f", milli / MILLI);
  }
}
