package dev.muster.deploy.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Step;
import dev.muster.deploy.client.GivenPages;
import dev.muster.policy.config.Budget;
import dev.muster.policy.config.Budget.OnExceeded;
import dev.muster.policy.config.Budget.Period;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.page.BudgetView;
import dev.muster.server.usage.UsageBook;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A live Muster says which budgets keep gangs from starting.
class LiveBudgetsTest {
  private static final BudgetOwner QUEUE = BudgetOwner.queue("ml");

  private static LiveBudgets read(String page) {
    return LiveBudgets.read(new GivenPages().with("/api/v1/budgets", page), Scene.START);
  }

  /// Returns what eight GPUs of the queue used in an hour.
  private static UsageBook book(Budget... budgets) throws IOException {
    UsageBook book =
        UsageBook.open(Optional.empty(), 400, Queues.NONE, List.of(budgets), Scene.START);
    Scene scene = Scene.of("b1/r1: n1[........]");
    FitScene.running("train", 8, "n1").forEach(scene::then);
    book.note(new Step(scene.state(), List.of(), List.of()));
    scene.after(Duration.ofHours(1));
    book.note(new Step(scene.state(), List.of(), List.of()));
    book.write();
    return book;
  }

  @Test
  void spent_budgets_are_those_that_the_engine_of_the_server_has() throws IOException {
    UsageBook book =
        book(
            new Budget(QUEUE, 3, Period.MONTH, OnExceeded.HOLD),
            new Budget(QUEUE, 9, Period.YEAR, OnExceeded.HOLD),
            new Budget(QUEUE, 3, Period.DAY, OnExceeded.TELL),
            new Budget(BudgetOwner.project("llm"), 3, Period.DAY, OnExceeded.HOLD));
    List<SpentBudget> told = new ArrayList<>();
    book.follow((_, spent) -> told.addAll(spent));

    String page =
        BudgetView.addTo(JsonNodeFactory.instance.objectNode(), book, Queues.NONE, PageView.WHOLE)
            .toString();

    assertThat(told).hasSize(1);
    assertThat(read(page))
        .isEqualTo(
            new LiveBudgets(
                Optional.of(new Event.BudgetsSpent(Scene.START, told)), Optional.empty()));
  }

  @Test
  void spent_budget_of_a_project_is_that_of_the_project() {
    LiveBudgets budgets =
        read(
            """
            {"items": [{"project": "llm", "onExceeded": "Hold", "spent": true, "milliGpuHours": 5000,
             "usedMilliGpuHours": 7900, "until": "2026-12-01T00:00:00Z"}]}
            """);

    assertThat(budgets.event())
        .contains(
            new Event.BudgetsSpent(
                Scene.START,
                List.of(
                    new SpentBudget(
                        BudgetOwner.project("llm"), 7, 5, Scene.START.plus(Duration.ofDays(30))))));
  }

  @Test
  void nothing_is_said_without_budgets() {
    assertThat(read("{\"items\": []}")).isEqualTo(LiveBudgets.NONE);
  }

  @Test
  void budgets_of_others_are_not_counted() {
    assertThat(read("{\"items\": [], \"others\": {\"budgets\": 2}}").uncounted())
        .contains("Not counted: 2 budgets of others, which you may not see.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "{\"items\": [{\"onExceeded\": \"Hold\", \"spent\": true, \"until\": \"soon\"}]}"
      })
  void answer_of_another_server_leaves_budgets_out(String page) {
    assertThat(read(page).uncounted())
        .contains("Budgets are not counted: the server answers, but not as Muster does.");
  }
}
