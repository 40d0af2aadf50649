package dev.muster.simulator.experiment;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.report.Summaries;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Watch;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// Seeks the smallest fleet of equal nodes that meets a goal.
///
/// Goals: the fewest nodes; the figure around them, since planning curves are steep.
///
/// Constraints: every number tried costs a run.
///
/// Algorithm: numbers are doubled until one meets the goal, then halved between the last that did
/// not and the first that did. More nodes can do worse here and there (Graham's anomalies), so
/// numbers around the answer are tried as well, and where one of those below meets the goal, it is
/// the answer.
///
/// Example: 1, 2, 4 and 8 nodes do not meet it, 16 do; then 12 do, 10 do not, 11 do; 9 to 13 are
/// shown.
public final class FleetPlan {
  private static final int AROUND = 2;

  private final Scenario scenario;
  private final IntFunction<Fleet> fleets;
  private final Goal goal;
  private final Watch watch;
  private final TreeMap<Integer, Summary> tried = new TreeMap<>();
  private boolean stopped;

  private FleetPlan(Scenario scenario, IntFunction<Fleet> fleets, Goal goal, Watch watch) {
    this.scenario = scenario;
    this.fleets = fleets;
    this.goal = goal;
    this.watch = watch;
  }

  /// What the search came to.
  ///
  /// @param nodes the fewest nodes that meet the goal; absent if even the most allowed do not
  /// @param curve what was tried, by the number of nodes
  /// @param stopped whether the watch stopped the search: then fewer nodes may do as well
  public record Found(Optional<Integer> nodes, TreeMap<Integer, Summary> curve, boolean stopped) {}

  /// Seeks among 1 to `most` nodes.
  ///
  /// @param fleets the fleet of so many nodes
  /// @throws InterruptedException when the thread is interrupted
  public static Found seek(
      Scenario scenario, IntFunction<Fleet> fleets, Goal goal, int most, Watch watch)
      throws InterruptedException {
    return new FleetPlan(scenario, fleets, goal, watch).seek(most);
  }

  private Found seek(int most) throws InterruptedException {
    int enough = 1;
    int tooFew = 0;
    while (!meets(enough)) {
      if (stopped || enough >= most) {
        return new Found(Optional.empty(), tried, stopped);
      }
      tooFew = enough;
      enough = Math.min(most, 2 * enough);
    }
    while (!stopped && enough - tooFew > 1) {
      int middle = (tooFew + enough) >>> 1;
      if (meets(middle)) {
        enough = middle;
      } else {
        tooFew = middle;
      }
    }
    int found = enough;
    List<Integer> around =
        IntStream.rangeClosed(Math.max(1, found - AROUND), Math.min(most, found + AROUND))
            .boxed()
            .toList();
    for (int nodes : around) {
      enough = meets(nodes) ? Math.min(enough, nodes) : enough;
    }
    return new Found(Optional.of(enough), tried, stopped);
  }

  private boolean meets(int nodes) throws InterruptedException {
    Summary known = tried.get(nodes);
    if (known != null) {
      return goal.isMet(known);
    }
    if (stopped) {
      return false;
    }
    RunResult run = scenario.on(fleets.apply(nodes)).run(watch);
    stopped = run.cutShort();
    if (stopped) {
      return false; // a part of a run says nothing of the goal
    }
    tried.put(nodes, Summaries.of(run));
    return meets(nodes);
  }
}
