package dev.muster.simulator.experiment;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.report.Summaries;
import dev.muster.simulator.report.Summary;
import dev.muster.simulator.run.JobOutcome;
import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Watch;
import dev.muster.simulator.trace.TraceJob;
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
/// the answer. A job that is rejected is held against the most nodes: if it has no place there, the
/// search is over.
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
  private Optional<TraceJob> rejected = Optional.empty();
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
  /// @param never a job that the goal is of and that starts on no number of nodes
  public record Found(
      Optional<Integer> nodes,
      TreeMap<Integer, Summary> curve,
      boolean stopped,
      Optional<TraceJob> never) {}

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
    RunResult run = scenario.on(fleets.apply(nodes)).run(watch);
    stopped = run.cutShort();
    if (stopped) {
      return false; // a part of a run says nothing of the goal
    }
    tried.put(nodes, Summaries.of(run));
    rejected =
        run.jobs().stream()
            .filter(job -> job.state() == JobOutcome.State.REJECTED && goal.counts(job.job()))
            .map(JobOutcome::job)
            .findFirst();
    return meets(nodes);
  }

  /// The job that the last run rejected, if the most nodes are no better: then no number is.
  private Optional<TraceJob> never(int most) throws InterruptedException {
    Optional<TraceJob> suspect = rejected;
    if (suspect.isEmpty() || stopped) {
      return Optional.empty();
    }
    TraceSource alone = TraceSource.of(scenario.trace().name(), List.of(suspect.get()));
    RunResult run = scenario.on(fleets.apply(most)).of(alone).run(Watch.NONE);
    boolean starts = run.jobs().getFirst().state() != JobOutcome.State.REJECTED;
    return starts ? Optional.empty() : suspect;
  }
}
