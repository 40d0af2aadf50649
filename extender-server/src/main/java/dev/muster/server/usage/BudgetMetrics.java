package dev.muster.server.usage;

import dev.muster.policy.config.Budget;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// Metrics of the budgets. Their owners are names of the configuration, so no name from a user
/// becomes a label.
///
/// @param registry registry of the gauges
/// @param standings what is used of each budget; gauges read it when they are scraped
public record BudgetMetrics(MeterRegistry registry, Supplier<List<BudgetStanding>> standings) {
  private static final double MILLIS_PER_HOUR = 3_600_000.0;

  /// Registers the gauges of these budgets.
  public void register(List<Budget> budgets) {
    for (Budget budget : budgets) {
      gauge(
          budget,
          "gpu.hours",
          "GPU-hours of the budget for each period.",
          standing -> standing.gpuMillis() / MILLIS_PER_HOUR);
      gauge(
          budget,
          "used.gpu.hours",
          "GPU-hours used since the period began.",
          standing -> standing.usedGpuMillis() / MILLIS_PER_HOUR);
    }
  }

  private void gauge(
      Budget budget, String name, String description, ToDoubleFunction<BudgetStanding> value) {
    Gauge.builder("muster.budget." + name, standings, all -> value(all.get(), budget, value))
        .tag("kind", budget.owner().kind().name().toLowerCase(Locale.ROOT))
        .tag("name", budget.owner().name())
        .tag("period", budget.period().text())
        .tag("on_exceeded", budget.onExceeded().text())
        .description(description)
        .strongReference(true)
        .register(registry);
  }

  private static double value(
      List<BudgetStanding> all, Budget budget, ToDoubleFunction<BudgetStanding> value) {
    return all.stream()
        .filter(standing -> standing.budget().equals(budget))
        .mapToDouble(value)
        .findFirst()
        .orElse(Double.NaN);
  }
}
