package dev.muster.simulator.run.record;

import dev.muster.simulator.fleet.Fleet;
import java.util.List;

/// All that a run came to; reports are written from it. Times are milliseconds since the start of
/// the trace.
///
/// @param setup what was simulated
/// @param fleet on what
/// @param jobs what became of each job, in order of submission
/// @param stays who was where, in order of their ends; at most [#MOST_STAYS]
/// @param droppedStays how many more stays there were
/// @param occupancy how much of each node was in use when, of all stays
/// @param stops who was stopped for whom, in order of time; the first [#MOST_STAYS]
/// @param samples the course of the run, in order of time, without gaps
/// @param rentals which cloud nodes were paid for when
/// @param bounds what no schedule could have done better
/// @param endMillis when the run ended
/// @param cutShort whether it was stopped before all jobs were done or rejected
public record RunResult(
    SimulationSetup setup,
    Fleet fleet,
    List<JobOutcome> jobs,
    List<AllocationSpan> spans,
    long droppedStays,
    Occupancy occupancy,
    List<EvictionRecord> stops,
    List<Sample> samples,
    List<Rental> rentals,
    LowerBounds bounds,
    long endMillis,
    boolean cutShort) {
  /// So many stays are kept; those that end later are counted only.
  public static final int MOST_STAYS = 500_000;

  public RunResult {
    jobs = List.copyOf(jobs);
    spans = List.copyOf(spans);
    stops = List.copyOf(stops);
    samples = List.copyOf(samples);
    rentals = List.copyOf(rentals);
  }

  /// The same of a trace of which so many rows could not be read.
  public RunResult skipping(long rows) {
    return rows == 0
        ? this
        : new RunResult(
            setup.skipping(rows),
            fleet,
            jobs,
            spans,
            droppedStays,
            occupancy,
            stops,
            samples,
            rentals,
            bounds,
            endMillis,
            cutShort);
  }
}
