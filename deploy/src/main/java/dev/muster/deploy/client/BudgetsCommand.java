package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/// `muster budgets`: prints the budgets with what is used of them, and when they end.
@Command(
    name = "budgets",
    description = {
      "Shows the GPU-hours that queues and projects may use, and what is used of them.",
      "ENDS is the day on which a budget is spent if as many GPUs are used as now."
    },
    mixinStandardHelpOptions = true)
public final class BudgetsCommand extends ListCommand {
  private static final int NARROW = 6;
  private static final double MILLI = 1000.0;

  @Override
  JsonNode read(PageSource pages) {
    return pages.get("/api/v1/budgets");
  }

  @Override
  public Listing listing(JsonNode document) {
    TextTable rows =
        new TextTable(
            "BUDGET", "PERIOD", "GPU-HOURS", "USED", "PART", "ENDS", "GPUS", "EXCEEDED", "UNTIL");
    List<String> names = new ArrayList<>();
    for (JsonNode budget : document.path("items")) {
      long most = budget.path("milliGpuHours").asLong();
      long used = budget.path("usedMilliGpuHours").asLong();
      String name = HumanText.budget(budget).replace(' ', '/');
      rows.row(
          name,
          budget.path("period").asText(),
          hours(most),
          hours(used),
          "%d %%".formatted(100 * used / most),
          HumanText.budgetEnd(budget),
          budget.path("gpus").asText(),
          budget.path("onExceeded").asText(),
          budget.path("until").asText());
      names.add(name + "/" + budget.path("period").asText());
    }
    return new Listing(rows, NARROW, names, footer(document));
  }

  private static String footer(JsonNode document) {
    int shown = document.path("items").size();
    int others = document.at("/others/budgets").asInt();
    if (shown + others == 0) {
      return "0 budgets. Budgets are set in muster.yaml, under budgets. " + asOf(document);
    }
    StringBuilder text = new StringBuilder(HumanText.count(shown, "budget")).append('.');
    if (others > 0) {
      text.append(" %s of others.".formatted(HumanText.count(others, "budget")));
    }
    if (!document.path("kept").asBoolean()) {
      text.append(" Counted since the start of Muster; usage.store would keep it.");
    }
    return text.append(' ').append(asOf(document)).toString();
  }

  private static String hours(long milli) {
    return String.format(Locale.ROOT, "%.1f", milli / MILLI);
  }
}
