package dev.muster.simulator.experiment;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.SummaryCalculation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// The range of the answers of a plan, for the given trace and for traces like it.
///
/// Goals: the smallest and the largest answer of all draws, in few runs.
///
/// Constraints: a further draw lies within the range of n draws with the probability (n-1)/(n+1),
/// whatever its distribution. So 19 draws give 90 %.
///
/// Algorithm: all draws run at the answer of the given trace. Only those that fail there run on
/// more nodes, and only those that meet the goal there run on fewer. The steps double, and the last
/// one is halved. A draw that failed once counts as failed on all smaller fleets.
///
/// @param low the smallest answer of the trace and its draws
/// @param high the largest answer; absent if a draw fails on the largest fleet
/// @param draws number of draws
/// @param unit what was drawn, for example `weeks`
/// @param met number of draws that meet the goal, by number of nodes
public record PlanBand(
    int low, Optional<Integer> high, int draws, String unit, SortedMap<Integer, Integer> met) {
  /// The fewest draws, whose range holds a further one in four of five cases.
  public static final int LEAST_DRAWS = 9;

  /// Returns the probability that a further draw lies within the range.
  public double confidence() {
    return (draws - 1.0) / (draws + 1);
  }

  /// Searches the range.
  ///
  /// @param scenario the scenario of the given trace; draw i has its seed plus i
  /// @param answer the answer of the given trace
  /// @param most the largest number of nodes
  /// @return the range; absent if the observer stopped a run
  /// @throws InterruptedException if the thread is interrupted
  static Optional<PlanBand> search(
      Scenario scenario,
      IntFunction<Fleet> fleets,
      PlanGoal goal,
      Draws draws,
      int answer,
      int most)
      throws InterruptedException {
    return new Search(scenario, fleets, goal, draws).search(answer, most);
  }

  /// How many traces are drawn, and how they run.
  ///
  /// @param count number of draws, at least [#LEAST_DRAWS]
  /// @param threads number of runs that go on at once
  /// @param observer observer of all these runs, called by several threads
  public record Draws(int count, int threads, RunObserver observer) {}

  private static final class Search {
    private final List<Scenario> scenarios = new ArrayList<>();
    private final IntFunction<Fleet> fleets;
    private final PlanGoal goal;
    private final Draws draws;
    private final String unit;
    private final SortedMap<Integer, Integer> met = new TreeMap<>();
    private volatile boolean stopped;

    Search(Scenario scenario, IntFunction<Fleet> fleets, PlanGoal goal, Draws draws) {
      this.fleets = fleets;
      this.goal = goal;
      this.draws = draws;
      Resampling resampling = Resampling.of(scenario.trace());
      this.unit = resampling.unit();
      for (int i = 1; i <= draws.count(); i++) {
        long seed = scenario.seed() + i;
        scenarios.add(scenario.of(resampling.draw(seed)).with(seed));
      }
    }

    Optional<PlanBand> search(int answer, int most) throws InterruptedException {
      int step = Math.max(1, answer / 50); // a finer answer would cost more runs
      List<Integer> all = IntStream.range(0, draws.count()).boxed().toList();
      List<Integer> enough = meeting(answer, all, 0);
      List<Integer> tooFew = all.stream().filter(draw -> !enough.contains(draw)).toList();
      int low = enough.isEmpty() ? answer : least(enough, answer, step);
      int high = tooFew.isEmpty() ? answer : greatest(tooFew, answer, most, step);
      return stopped
          ? Optional.empty()
          : Optional.of(
              new PlanBand(
                  low,
                  high > most ? Optional.empty() : Optional.of(high),
                  draws.count(),
                  unit,
                  met));
    }

    /// Returns the fewest nodes on which all of these draws meet the goal; `most` + 1 if none does.
    ///
    /// @param failing draws that fail at `from`
    private int greatest(List<Integer> failing, int from, int most, int finest)
        throws InterruptedException {
      int tooFew = from;
      int enough = most + 1;
      List<Integer> open = failing;
      int step = finest;
      while (!stopped && enough - tooFew > finest && tooFew < most) {
        int nodes = enough > most ? Math.min(most, tooFew + step) : (tooFew + enough) >>> 1;
        step *= 2;
        List<Integer> meets = meeting(nodes, open, draws.count() - open.size());
        if (meets.size() == open.size()) {
          enough = nodes;
        } else {
          tooFew = nodes;
          open = open.stream().filter(draw -> !meets.contains(draw)).toList();
        }
      }
      return enough;
    }

    /// Returns the fewest nodes on which any of these draws meets the goal.
    ///
    /// @param meeting draws that meet it at `from`
    private int least(List<Integer> meeting, int from, int finest) throws InterruptedException {
      int enough = from;
      int tooFew = 0;
      List<Integer> open = meeting;
      int step = finest;
      while (!stopped && enough - tooFew > finest) {
        int nodes = tooFew == 0 ? Math.max(1, enough - step) : (tooFew + enough) >>> 1;
        step *= 2;
        List<Integer> meets = meeting(nodes, open, 0);
        if (meets.isEmpty()) {
          tooFew = nodes;
        } else {
          enough = nodes;
          open = meets;
        }
      }
      return tooFew + 1;
    }

    /// Returns those of the draws that meet the goal on a fleet.
    ///
    /// @param others number of draws that meet it as well, without a run
    private List<Integer> meeting(int nodes, List<Integer> of, int others)
        throws InterruptedException {
      Fleet fleet = fleets.apply(nodes);
      List<Boolean> are =
          ParallelRuns.map(of, draws.threads(), draw -> isMet(scenarios.get(draw).on(fleet)));
      List<Integer> meeting =
          IntStream.range(0, are.size()).filter(are::get).mapToObj(of::get).toList();
      met.put(nodes, others + meeting.size());
      return meeting;
    }

    private boolean isMet(Scenario scenario) throws InterruptedException {
      if (stopped) {
        return false;
      }
      RunResult run = scenario.run(draws.observer());
      if (run.cutShort()) {
        stopped = true;
      }
      return !run.cutShort() && goal.isMet(SummaryCalculation.of(run));
    }
  }
}
