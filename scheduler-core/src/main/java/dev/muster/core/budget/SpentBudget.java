package dev.muster.core.budget;

import java.time.Instant;

/// A budget that is used up. Gangs that it covers do not start before its period ends.
///
/// @param owner whose budget it is
/// @param usedGpuHours GPU-hours used when this became known, at least those of the budget
/// @param gpuHours GPU-hours of the budget
/// @param until end of its period
public record SpentBudget(BudgetOwner owner, long usedGpuHours, long gpuHours, Instant until) {
  /// True if both are one budget in one period, whatever was used of it.
  public boolean isSame(SpentBudget other) {
    return owner.equals(other.owner) && gpuHours == other.gpuHours && until.equals(other.until);
  }
}
