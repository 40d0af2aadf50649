package dev.muster.deploy.live;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.deploy.client.PageProblem;
import dev.muster.deploy.client.PageSource;
import dev.muster.policy.config.Budget;
import dev.muster.server.http.page.HumanText;
import java.io.PrintWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The budgets of a live Muster that keep gangs from starting, as the caller sees them.
///
/// @param event the fact for the engine; absent if no such budget is used up
/// @param uncounted which budgets do not count, and why; absent if all count
record LiveBudgets(Optional<Event> event, Optional<String> uncounted) {
  /// No budget keeps gangs from starting.
  static final LiveBudgets NONE = new LiveBudgets(Optional.empty(), Optional.empty());

  private static final int MILLI = 1_000;
  private static final String OTHER = "the server answers, but not as Muster does.";

  /// Returns that budgets do not count, because of this problem.
  static LiveBudgets unknown(PageProblem problem) {
    return unknown(String.valueOf(problem.getMessage()));
  }

  private static LiveBudgets unknown(String problem) {
    return new LiveBudgets(Optional.empty(), Optional.of("Budgets are not counted: " + problem));
  }

  /// Asks Muster.
  ///
  /// @param now time of the fact
  /// @throws PageProblem if it does not answer
  static LiveBudgets read(PageSource pages, Instant now) {
    try {
      JsonNode page = pages.get("/api/v1/budgets");
      return page.path("items").isArray() ? of(page, now) : unknown(OTHER);
    } catch (DateTimeException _) {
      return unknown(OTHER);
    }
  }

  private static LiveBudgets of(JsonNode page, Instant now) {
    List<SpentBudget> spent = new ArrayList<>();
    for (JsonNode budget : page.path("items")) {
      if (budget.path("spent").asBoolean()
          && budget.path("onExceeded").asText().equals(Budget.OnExceeded.HOLD.text())) {
        spent.add(spent(budget));
      }
    }
    int others = page.at("/others/budgets").asInt();
    return new LiveBudgets(
        spent.isEmpty() ? Optional.empty() : Optional.of(new Event.BudgetsSpent(now, spent)),
        others == 0
            ? Optional.empty()
            : Optional.of(
                "Not counted: %s of others, which you may not see."
                    .formatted(HumanText.count(others, "budget"))));
  }

  private static SpentBudget spent(JsonNode budget) {
    return new SpentBudget(
        budget.has("queue")
            ? BudgetOwner.queue(budget.path("queue").asText())
            : BudgetOwner.project(budget.path("project").asText()),
        budget.path("usedMilliGpuHours").asLong() / MILLI,
        budget.path("milliGpuHours").asLong() / MILLI,
        Instant.parse(budget.path("until").asText()));
  }

  /// Prints which budgets do not count, if there are any.
  void print(PrintWriter err) {
    uncounted.ifPresent(err::println);
    err.flush();
  }
}
