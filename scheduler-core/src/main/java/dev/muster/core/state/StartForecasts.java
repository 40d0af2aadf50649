package dev.muster.core.state;

import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;

/// Forecasts are what the engine expects of time: how long gangs run, and when waiting ones start.
///
/// @param runs how long gangs ran
/// @param outlooks since when each of the first gangs waits to be planned a start
/// @param vain the gangs for which no start could be planned
public record StartForecasts(RuntimeHistory history, SortedTable<GangId, StartForecast> forecasts, FailedPlans failedPlans) {
  /// Nothing is known yet.
  public static final StartForecasts NONE = new StartForecasts(RuntimeHistory.NONE, SortedTable.empty(), FailedPlans.NOBODY);

  public StartForecasts with(RuntimeHistory other) {
    return new StartForecasts(other, forecasts, failedPlans);
  }

  public StartForecasts with(FailedPlans other) {
    return new StartForecasts(history, forecasts, other);
  }

  public StartForecasts with(GangId gang, StartForecast forecast) {
    return new StartForecasts(history, forecasts.with(gang, forecast), failedPlans);
  }

  @SuppressWarnings("ReferenceEquality") // a table from which nothing was taken is the same object
  public StartForecasts without(GangId gang) {
    var rest = forecasts.without(gang);
    return rest == forecasts ? this : new StartForecasts(history, rest, failedPlans);
  }
}
