package dev.muster.server.usage;

import dev.muster.policy.config.Budget;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/// What is used of a budget in the present period.
///
/// @param budget the budget
/// @param at the moment
/// @param usedGpuMillis GPU-milliseconds used since the period began
/// @param gpus GPUs in use now
public record BudgetStanding(Budget budget, Instant at, long usedGpuMillis, int gpus) {
  private static final long MILLIS_PER_HOUR = Duration.ofHours(1).toMillis();

  /// Returns the first moment of the period.
  public Instant since() {
    return start(budget.period().first(day()));
  }

  /// Returns the first moment of the next period.
  public Instant until() {
    return start(budget.period().next(day()));
  }

  private LocalDate day() {
    return LocalDate.ofInstant(at, ZoneOffset.UTC);
  }

  private static Instant start(LocalDate day) {
    return day.atStartOfDay().toInstant(ZoneOffset.UTC);
  }

  /// Returns the GPU-milliseconds of the budget.
  public long gpuMillis() {
    return budget.gpuHours() * MILLIS_PER_HOUR;
  }

  /// True if everything is used.
  public boolean isSpent() {
    return usedGpuMillis >= gpuMillis();
  }

  /// Returns when the budget will be spent if as many GPUs are used from now on as now. It is empty
  /// if it is spent, or if it lasts until the next period.
  public Optional<Instant> endsAt() {
    if (isSpent() || gpus == 0) {
      return Optional.empty();
    }
    long left = Math.ceilDiv(gpuMillis() - usedGpuMillis, gpus);
    return Optional.of(at.plusMillis(left)).filter(end -> end.isBefore(until()));
  }
}
