package dev.muster.simulator.run.record;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What was simulated.
///
/// @param trace how the user called the trace
/// @param policy the name of the policy, `muster` for the production brain
/// @param placement the name of the placement
/// @param seed what the random parts of the run were drawn from
/// @param start the instant that times count from
/// @param budgets what may be used, where that is known
/// @param assumptions all that was assumed, of the trace, the fleet and the policy, a sentence each
/// @param skipped how many rows of the trace could not be read and were left out
public record SimulationSetup(
    String trace,
    String policy,
    String placement,
    long seed,
    Instant start,
    QueueBudgets budgets,
    List<String> assumptions,
    long skipped) {
  public SimulationSetup {
    assumptions = List.copyOf(assumptions);
  }

  /// Of something for which no budgets are known.
  public SimulationSetup(
      String trace,
      String policy,
      String placement,
      long seed,
      Instant start,
      List<String> assumptions) {
    this(trace, policy, placement, seed, start, QueueBudgets.NONE, assumptions, 0);
  }

  /// The same of a trace with rows that were left out.
  SimulationSetup skipping(long rows) {
    List<String> said = new ArrayList<>(assumptions);
    said.add("%d rows of the trace could not be read and were left out.".formatted(rows));
    return new SimulationSetup(trace, policy, placement, seed, start, budgets, said, rows);
  }
}
