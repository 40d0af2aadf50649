package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.budget.BudgetOwner;
import dev.muster.policy.config.Budget.OnExceeded;
import dev.muster.policy.config.Budget.Period;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Budgets are read in full, and their mistakes are reported with their places.
class BudgetConfigurationTest extends ConfigurationFiles {
  private static String problems(String budget, String rest) {
    return ExpectedRefusal.of("budgets:\n  - {%s}\n%s".formatted(budget, rest));
  }

  @Test
  void budgets_are_read_in_full() {
    MusterConfiguration set =
        value(
            load(
                """
                budgets:
                  - {queue: research, gpuHours: 20000, period: Month, onExceeded: Hold}
                  - {project: llm, gpuHours: 500, period: Week}
                """));

    assertThat(set.budgets())
        .containsExactly(
            new Budget(BudgetOwner.queue("research"), 20_000, Period.MONTH, OnExceeded.HOLD),
            new Budget(BudgetOwner.project("llm"), 500, Period.WEEK, OnExceeded.TELL));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpuHours: 1, period: Day|:5: budgets[0]: has neither queue nor project. A budget is for one of them.",
        "queue: a, project: b, gpuHours: 1, period: Day|:5: budgets[0]: has queue and project. A budget is for one of them.",
        "queue: a, gpuHours: 0, period: Day|:26: budgets[0].gpuHours: 0 is too small: at least 1.",
        "queue: a, gpuHours: 1, period: month|:37: budgets[0].period: \"month\" is not known. Did you mean \"Month\"?",
        "queue: a, gpuHours: 1|:5: budgets[0].period: is missing.",
        "queue: a, gpuHours: 1, period: Day, onExceeded: Stop|:54: budgets[0].onExceeded: \"Stop\" is not known. Allowed: Tell, Hold.",
        "queue: a, gpuHours: 1, hours: 1, period: Day|:29: budgets[0].hours: unknown field."
      })
  void mistake_is_reported_with_its_place(String budget, String problem) {
    assertThat(problems(budget, "")).contains("muster.yaml:4" + problem);
  }

  @Test
  void queue_of_a_budget_is_among_the_queues() {
    assertThat(
            problems(
                "queue: reserch, gpuHours: 1, period: Day",
                "queues: [{name: research}, {name: guests}]\n"))
        .isEqualTo(
            "muster.yaml:4:13: budgets[0].queue: \"reserch\" is not among queues. Did you mean \"research\"?");
  }

  @Test
  void every_name_is_a_queue_where_none_is_listed() {
    assertThat(problems("queue: ml, gpuHours: 1, period: Day", "")).isEmpty();
  }

  @Test
  void project_of_a_budget_may_have_any_name() {
    assertThat(problems("project: ml, gpuHours: 1, period: Day", "queues: [{name: research}]\n"))
        .isEmpty();
  }

  @Test
  void owner_has_one_budget_for_each_period() {
    String day = "queue: a, gpuHours: 1, period: Day";

    assertThat(problems(day, "  - {%s}\n".formatted(day)))
        .isEqualTo(
            "muster.yaml:5:37: budgets[1].period: \"Day\" is already the period of budgets[0], which is for the same.");
    assertThat(problems(day, "  - {%s}\n".formatted(day.replace("Day", "Week")))).isEmpty();
    assertThat(problems(day, "  - {%s}\n".formatted(day.replace("queue", "project")))).isEmpty();
  }

  @Test
  void usage_is_kept_for_the_period() {
    assertThat(problems("queue: a, gpuHours: 1, period: Quarter", "usage: {keepFor: 30d}\n"))
        .isEqualTo(
            "muster.yaml:4:37: budgets[0].period: \"Quarter\" has up to 92 days, but usage.keepFor is 30d. Keep usage for at least 92d.");
    assertThat(problems("queue: a, gpuHours: 1, period: Week", "usage: {keepFor: 7d}\n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "DAY, 2026-11-27, 2026-11-27, 2026-11-28",
    "WEEK, 2026-11-27, 2026-11-23, 2026-11-30",
    "WEEK, 2026-11-23, 2026-11-23, 2026-11-30",
    "MONTH, 2026-12-31, 2026-12-01, 2027-01-01",
    "QUARTER, 2026-11-27, 2026-10-01, 2027-01-01",
    "QUARTER, 2028-02-29, 2028-01-01, 2028-04-01",
    "YEAR, 2028-12-31, 2028-01-01, 2029-01-01"
  })
  void period_contains_its_days(Period period, LocalDate day, LocalDate first, LocalDate next) {
    assertThat(period.first(day)).isEqualTo(first);
    assertThat(period.next(day)).isEqualTo(next);
  }
}
