package dev.muster.core.state;

import dev.muster.core.backfill.Runs;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;

/// Forecasts are what the engine expects of time: how long gangs run, and when waiting ones start.
///
/// @param runs how long gangs ran
/// @param outlooks since when each of the first gangs waits to be planned a start
/// @param vain the gangs for which no start could be planned
public record Forecasts(Runs runs, SortedTable<GangId, Outlook> outlooks, Vain vain) {
  /// Nothing is known yet.
  public static final Forecasts NONE = new Forecasts(Runs.NONE, SortedTable.empty(), Vain.NOBODY);

  public Forecasts with(Runs other) {
    return new Forecasts(other, outlooks, vain);
  }

  public Forecasts with(Vain other) {
    return new Forecasts(runs, outlooks, other);
  }

  public Forecasts with(GangId gang, Outlook outlook) {
    return new Forecasts(runs, outlooks.with(gang, outlook), vain);
  }

  @SuppressWarnings("ReferenceEquality") // a table from which nothing was taken is the same object
  public Forecasts without(GangId gang) {
    var rest = outlooks.without(gang);
    return rest == outlooks ? this : new Forecasts(runs, rest, vain);
  }
}
