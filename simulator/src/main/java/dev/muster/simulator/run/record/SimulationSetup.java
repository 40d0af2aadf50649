package dev.muster.simulator.run.record;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The description of a simulation.
///
/// @param trace name of the trace, as the user called it
/// @param policy name of the policy, `muster` for the live engine
/// @param placement name of the placement
/// @param seed seed of the random parts of the run
/// @param start instant from which times are counted
/// @param budgets budgets, if known
/// @param speed speed of jobs on given nodes
/// @param assumptions all assumptions about the trace, the fleet and the policy, a sentence each
/// @param skipped number of unreadable rows of the trace that were left out
public record SimulationSetup(
    String trace,
    String policy,
    String placement,
    long seed,
    Instant start,
    QueueBudgets budgets,
    SpeedModel speed,
    List<String> assumptions,
    long skipped) {
  public SimulationSetup {
    assumptions = List.copyOf(assumptions);
  }

  /// Creates a setup without budgets, at the speed of the trace.
  public SimulationSetup(
      String trace,
      String policy,
      String placement,
      long seed,
      Instant start,
      List<String> assumptions) {
    this(trace, policy, placement, seed, start, QueueBudgets.NONE, SpeedModel.FULL, assumptions, 0);
  }

  /// Returns a copy for a trace with rows that were left out.
  SimulationSetup skipping(long rows) {
    List<String> said = new ArrayList<>(assumptions);
    said.add("%d rows of the trace could not be read and were left out.".formatted(rows));
    return new SimulationSetup(trace, policy, placement, seed, start, budgets, speed, said, rows);
  }
}
