package dev.muster.simulator.experiment;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.report.SummaryCalculation;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// Searches for the smallest fleet of equal nodes that meets a goal.
///
/// Goals: the fewest nodes, and the figures of the numbers around it, since planning curves are
/// steep.
///
/// Constraints: each number of nodes tried costs a run.
///
/// Algorithm: the number is doubled until one meets the goal. Then the interval between the last
/// number that failed and the first that met it is halved. More nodes can give a worse result
/// (Graham's anomalies), so the numbers around the answer are tried too. Where a smaller one of
/// those meets the goal, it becomes the answer. A rejected job is tried alone on the largest fleet.
/// If it is rejected there too, the search ends, since no number of nodes can meet the goal.
///
/// Example: 1, 2, 4 and 8 nodes fail and 16 meet the goal. Then 12 meet it, 10 fail and 11 meet it.
/// The curve shows 9 to 13.
public final class FleetPlan {
  private static final int AROUND = 2;

  private final Scenario scenario;
  private final IntFunction<Fleet> fleets;
  private final PlanGoal goal;
  private final RunObserver observer;
  private final TreeMap<Integer, Summary> tried = new TreeMap<>();
  private Optional<TraceJob> rejected = Optional.empty();
  private boolean stopped;

  private FleetPlan(
      Scenario scenario, IntFunction<Fleet> fleets, PlanGoal goal, RunObserver observer) {
    this.scenario = scenario;
    this.fleets = fleets;
    this.goal = goal;
    this.observer = observer;
  }

  /// The result of the search.
  ///
  /// @param nodes the fewest nodes that meet the goal; absent if even the largest fleet fails
  /// @param curve figures of the runs, by number of nodes
  /// @param stopped true if the watch stopped the search; fewer nodes may then meet the goal too
  /// @param never a job of the goal that starts on no number of nodes
  public record Found(
      Optional<Integer> nodes,
      TreeMap<Integer, Summary> curve,
      boolean stopped,
      Optional<TraceJob> never) {}

  /// Searches among 1 to `most` nodes.
  ///
  /// @param fleets returns the fleet with a given number of nodes
  /// @throws InterruptedException if the thread is interrupted
  public static Found search(
      Scenario scenario, IntFunction<Fleet> fleets, PlanGoal goal, int most, RunObserver observer)
      throws InterruptedException {
    return new FleetPlan(scenario, fleets, goal, observer).search(most);
  }

  private Found search(int most) throws InterruptedException {
    int enough = 1;
    int tooFew = 0;
    while (!meets(enough)) {
      Optional<TraceJob> never = never(most);
      if (stopped || enough >= most || never.isPresent()) {
        return new Found(Optional.empty(), tried, stopped, never);
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
    return new Found(Optional.of(enough), tried, stopped, Optional.empty());
  }

  private boolean meets(int nodes) throws InterruptedException {
    Summary known = tried.get(nodes);
    if (known != null) {
      return goal.isMet(known);
    }
    if (stopped) {
      return false;
    }
    RunResult run = scenario.on(fleets.apply(nodes)).run(observer);
    stopped = run.cutShort();
    if (stopped) {
      return false; // a partial run is no evidence for the goal
    }
    tried.put(nodes, SummaryCalculation.of(run));
    rejected =
        run.jobs().stream()
            .filter(job -> job.state() == JobOutcome.State.REJECTED && goal.counts(job.job()))
            .map(JobOutcome::job)
            .findFirst();
    return meets(nodes);
  }

  /// Returns the job that the last run rejected, if the largest fleet rejects it too.
  private Optional<TraceJob> never(int most) throws InterruptedException {
    Optional<TraceJob> suspect = rejected;
    if (suspect.isEmpty() || stopped) {
      return Optional.empty();
    }
    TraceSource alone = TraceSource.of(scenario.trace().name(), List.of(suspect.get()));
    RunResult run = scenario.on(fleets.apply(most)).of(alone).run(RunObserver.NONE);
    boolean starts = run.jobs().getFirst().state() != JobOutcome.State.REJECTED;
    return starts ? Optional.empty() : suspect;
  }
}
