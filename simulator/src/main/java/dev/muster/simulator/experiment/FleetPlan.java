package dev.muster.simulator.experiment;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;

/// Searches for the smallest fleet of equal nodes that meets a goal.
///
/// Goals: the fewest nodes, and the figures of the numbers around it, since planning curves are
/// steep.
///
/// Constraints: each number of nodes tried costs a run.
///
/// Algorithm: the first number has as many GPUs as the jobs would use on average without waiting.
/// Far smaller fleets are slow to simulate, since nearly all jobs wait. The number is doubled until
/// one meets the goal, or halved until one fails. Then the interval between the last number that
/// failed and the first that met it is halved. More nodes can give a worse result (Graham's
/// anomalies), so the numbers around the answer are tried too. The answer is the smallest number
/// from which on all that were tried meet the goal: one that meets it below one that fails does so
/// by luck. A rejected job is tried alone on the largest fleet. If it is rejected there too, the
/// search ends, since no number of nodes can meet the goal. Then resampled traces give the
/// [PlanBand] of the answer, because one trace and one seed give one number by chance.
///
/// Example: the load needs 4 nodes. 4 and 8 nodes fail and 16 meet the goal. Then 12 meet it, 10
/// fail and 11 meet it. The curve shows 9 to 13.
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
  /// @param nodes the fewest nodes that meet the goal, and more do too; absent if the largest fleet
  ///   fails
  /// @param band the range of answers for resampled traces; absent without an answer
  /// @param curve figures of the runs, by number of nodes
  /// @param stopped true if the watch stopped the search; fewer nodes may then meet the goal too
  /// @param never a job of the goal that starts on no number of nodes
  public record Found(
      Optional<Integer> nodes,
      Optional<PlanBand> band,
      TreeMap<Integer, Summary> curve,
      boolean stopped,
      Optional<TraceJob> never) {}

  /// Searches among 1 to `most` nodes.
  ///
  /// @param fleets returns the fleet with a given number of nodes
  /// @throws InterruptedException if the thread is interrupted
  /// @param draws the resampled traces
  public static Found search(
      Scenario scenario,
      IntFunction<Fleet> fleets,
      PlanGoal goal,
      int most,
      PlanBand.Draws draws,
      RunObserver observer)
      throws InterruptedException {
    Found found = new FleetPlan(scenario, fleets, goal, observer).search(most);
    if (found.nodes().isEmpty() || found.stopped()) {
      return found;
    }
    Optional<PlanBand> band =
        PlanBand.search(scenario, fleets, goal, draws, found.nodes().get(), most);
    return new Found(found.nodes(), band, found.curve(), band.isEmpty(), found.never());
  }

  private Found search(int most) throws InterruptedException {
    int enough = first(most);
    int tooFew = 0;
    while (!meets(enough)) {
      Optional<TraceJob> never = never(most);
      if (stopped || enough >= most || never.isPresent()) {
        return new Found(Optional.empty(), Optional.empty(), tried, stopped, never);
      }
      tooFew = enough;
      enough = Math.min(most, 2 * enough);
    }
    while (!stopped && tooFew == 0 && enough > 1) {
      if (meets(enough / 2)) {
        enough /= 2;
      } else {
        tooFew = enough / 2;
      }
    }
    while (!stopped && enough - tooFew > 1) {
      int middle = (tooFew + enough) >>> 1;
      if (meets(middle)) {
        enough = middle;
      } else {
        tooFew = middle;
      }
    }
    return new Found(confirmed(enough, most), Optional.empty(), tried, stopped, Optional.empty());
  }

  /// Returns the number to begin with: its GPUs are the load of the jobs, or most of it.
  private int first(int most) {
    int one = fleets.apply(1).gpus();
    int perNode = Math.max(1, fleets.apply(2).gpus() - one);
    double nodes = (scenario.offeredLoad() - (one - perNode)) / perNode;
    return (int) Math.clamp(nodes, 1, most);
  }

  /// Tries the numbers around an answer, until those above it meet the goal too.
  private Optional<Integer> confirmed(int answer, int most) throws InterruptedException {
    int next = answer;
    int confirmed;
    do {
      confirmed = next;
      for (int near = Math.max(1, confirmed - AROUND);
          near <= Math.min(most, confirmed + AROUND);
          near++) {
        meets(near);
      }
      next = 1 + tried.keySet().stream().filter(n -> !goal.isMet(known(n))).reduce(0, Math::max);
    } while (!stopped && next != confirmed && next <= most);
    return next > most ? Optional.empty() : Optional.of(next);
  }

  private Summary known(int nodes) {
    return Objects.requireNonNull(tried.get(nodes));
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
