package dev.muster.simulator.run.record;

import dev.muster.simulator.fleet.Fleet;
import java.util.List;

/// The result of a run, from which reports are written. Times are milliseconds since the start of
/// the trace.
///
/// @param setup simulated setup
/// @param fleet simulated fleet
/// @param jobs outcome of each job, in order of submission
/// @param spans allocation spans, in order of their ends; at most [#MOST_STAYS]
/// @param droppedStays number of further spans
/// @param occupancy use of each node over time, of all spans
/// @param stops evictions, in order of time; the first [#MOST_STAYS]
/// @param samples state of the run over time, in order and without gaps
/// @param rentals paid periods of cloud nodes
/// @param bounds lower bounds of any schedule
/// @param endMillis end of the run
/// @param cutShort true if it was stopped before all jobs were done or rejected
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
  /// The maximum number of kept spans; those that end later are only counted.
  public static final int MOST_STAYS = 500_000;

  public RunResult {
    jobs = List.copyOf(jobs);
    spans = List.copyOf(spans);
    stops = List.copyOf(stops);
    samples = List.copyOf(samples);
    rentals = List.copyOf(rentals);
  }

  /// Returns a copy for a trace with this number of unreadable rows.
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
