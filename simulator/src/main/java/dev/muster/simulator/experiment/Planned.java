package dev.muster.simulator.experiment;

import java.util.Locale;

/// A plan as asked for, and what was found.
///
/// @param goal the goal in the words of its user
/// @param wanted the goal
/// @param node the GPUs and the model of each node, such as `8:V100`
/// @param most the largest number of nodes
/// @param found the result of the search
public record Planned(String goal, PlanGoal wanted, String node, int most, FleetPlan.Found found) {
  /// Returns the answer as a sentence, with its range.
  ///
  /// Example: `29 nodes of 8 meet the goal (27 to 32, 90 %): p95 wait under 15m.`
  public String answer() {
    if (found.nodes().isPresent()) {
      return "%d nodes of %s meet the goal (%s): %s."
          .formatted(
              found.nodes().get(),
              node,
              found.band().map(this::range).orElse("no range yet"),
              goal);
    }
    return found.stopped() || found.never().isPresent()
        ? "No number of nodes tried so far meets the goal: %s.".formatted(goal)
        : "Not even %d nodes of %s meet the goal: %s.".formatted(most, node, goal);
  }

  private String range(PlanBand band) {
    return String.format(
        Locale.ROOT,
        "%d to %s, %.0f %%",
        band.low(),
        band.high().map(String::valueOf).orElse("more than " + most),
        100 * band.confidence());
  }

  /// Returns what the range means, as a sentence; empty without a range.
  public String meaning() {
    return found
        .band()
        .map(band ->
            "The range is that of %d traces drawn from the %s of this one, each with its own seed."
                .formatted(band.draws(), band.unit()))
        .orElse("");
  }
}
