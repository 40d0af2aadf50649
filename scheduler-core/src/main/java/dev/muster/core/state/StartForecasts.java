package dev.muster.core.state;

import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;

/// Start forecasts are the engine's expectations of time: runtimes of gangs, and starts of waiting
/// ones.
///
/// @param history runtimes of gangs that ended
/// @param forecasts forecast of each of the first waiting gangs
/// @param failedPlans gangs for which no start could be planned
/// @param vacancy the nodes without anything on them, with the gangs that would not start even
///   there
public record StartForecasts(
    RuntimeHistory history,
    SortedTable<GangId, StartForecast> forecasts,
    FailedPlans failedPlans,
    VacantCluster vacancy) {
  /// Nothing is known yet.
  public static final StartForecasts NONE =
      new StartForecasts(
          RuntimeHistory.NONE, SortedTable.empty(), FailedPlans.NONE, VacantCluster.NONE);

  public StartForecasts with(RuntimeHistory other) {
    return new StartForecasts(other, forecasts, failedPlans, vacancy);
  }

  public StartForecasts with(FailedPlans other) {
    return new StartForecasts(history, forecasts, other, vacancy);
  }

  public StartForecasts with(VacantCluster other) {
    return new StartForecasts(history, forecasts, failedPlans, other);
  }

  public StartForecasts with(GangId gang, StartForecast forecast) {
    return new StartForecasts(history, forecasts.with(gang, forecast), failedPlans, vacancy);
  }

  @SuppressWarnings("ReferenceEquality") // a table without the key is returned unchanged
  public StartForecasts without(GangId gang) {
    var rest = forecasts.without(gang);
    return rest == forecasts ? this : new StartForecasts(history, rest, failedPlans, vacancy);
  }
}
