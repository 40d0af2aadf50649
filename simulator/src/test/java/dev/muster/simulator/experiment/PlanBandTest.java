package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/// A plan gives a range, which holds the answers of all resampled traces.
final class PlanBandTest {
  private static final int MOST = 12;
  private static final PlanGoal GOAL = PlanGoal.of("p95 wait under 100s");

  /// Jobs of about a day, with busy and idle hours.
  private static String day(Random random, int widest) {
    StringBuilder jobs = new StringBuilder();
    long at = 0;
    for (int i = 0; i < 60; i++) {
      at += random.nextInt(8) == 0 ? 3600 + random.nextInt(7200) : random.nextInt(400);
      jobs.append(
          "j%d %d+%d 1x%d%n"
              .formatted(i, at, 100 + random.nextInt(4000), 1 + random.nextInt(widest)));
    }
    return jobs.toString();
  }

  private static Fleet fleet(int nodes) {
    return FleetNotation.parse(nodes + "x1").orElseThrow();
  }

  private static Scenario scenario(String jobs) {
    return new Scenario(
        fleet(1),
        new InMemory(jobs),
        PolicyVariant.of("fifo-strict", Optional.empty()),
        Assumptions.NONE,
        7);
  }

  private static PlanBand.Draws draws(int count) {
    return new PlanBand.Draws(count, 1, RunObserver.NONE);
  }

  /// More servers never delay a job of one GPU in strict order, so each draw has one threshold.
  @Property(tries = 20)
  void range_spans_the_answers_of_all_draws(@ForAll Random random) throws InterruptedException {
    Scenario scenario = scenario(day(random, 1));
    FleetPlan.Found found =
        FleetPlan.search(scenario, PlanBandTest::fleet, GOAL, MOST, draws(9), RunObserver.NONE);
    if (found.nodes().isEmpty()) {
      return;
    }
    PlanBand band = found.band().orElseThrow();
    Resampling resampling = Resampling.of(scenario.trace());
    List<Integer> answers = new ArrayList<>();
    answers.add(found.nodes().get());
    for (int i = 1; i <= 9; i++) {
      answers.add(threshold(scenario.of(resampling.draw(7 + i))));
    }
    assertThat(band.low()).isEqualTo(Collections.min(answers));
    assertThat(band.high().orElse(MOST + 1)).isEqualTo(Collections.max(answers));
    assertThat(band.met().values()).allMatch(met -> met >= 0 && met <= 9);
  }

  private static int threshold(Scenario draw) throws InterruptedException {
    int nodes = 1;
    while (nodes <= MOST
        && !GOAL.isMet(SummaryCalculation.of(draw.on(fleet(nodes)).run(RunObserver.NONE)))) {
      nodes++;
    }
    return nodes;
  }

  /// Gangs make waits uneven: one more node may make them longer.
  @Property(tries = 20)
  void every_number_tried_above_the_answer_meets_the_goal(@ForAll Random random)
      throws InterruptedException {
    Scenario scenario =
        scenario(day(random, 1).replace("1x1", random.nextBoolean() ? "2x1" : "3x1"));
    FleetPlan.Found found =
        FleetPlan.search(scenario, PlanBandTest::fleet, GOAL, MOST, draws(9), RunObserver.NONE);
    found
        .nodes()
        .ifPresent(nodes -> {
          assertThat(found.curve().tailMap(nodes).values()).allMatch(GOAL::isMet);
          if (nodes > 1) {
            assertThat(found.curve().get(nodes - 1)).isNotNull().matches(run -> !GOAL.isMet(run));
          }
        });
  }

  @Test
  void nineteen_draws_give_ninety_percent() {
    PlanBand band = new PlanBand(1, Optional.of(2), 19, "weeks", new TreeMap<>());
    assertThat(band.confidence()).isEqualTo(0.9);
  }

  @Test
  void drawn_week_is_a_whole_week_of_the_trace() {
    StringBuilder jobs = new StringBuilder();
    for (int day = 0; day < 35; day++) {
      jobs.append("d%d %d+%d 1x1%n".formatted(day, 86_400 * day, 1 + day));
    }
    Resampling resampling = Resampling.of(new InMemory(jobs.toString()));
    assertThat(resampling.unit()).isEqualTo("weeks");
    List<TraceJob> drawn = jobs(resampling.draw(3));
    assertThat(drawn).extracting(TraceJob::id).doesNotHaveDuplicates();
    for (int i = 1; i < drawn.size(); i++) {
      if (drawn.get(i).runMillis() % 7_000 != 1_000) { // not the first day of a week
        assertThat(drawn.get(i).runMillis()).isEqualTo(drawn.get(i - 1).runMillis() + 1_000);
      }
    }
  }

  @Test
  void short_trace_is_drawn_job_by_job() {
    Resampling resampling = Resampling.of(new InMemory("a 0+10 1x1\nb 5+20 1x2\nc 9+30 1x3\n"));
    assertThat(resampling.unit()).isEqualTo("jobs");
    assertThat(jobs(resampling.draw(1)))
        .extracting(TraceJob::submitMillis)
        .containsExactly(0L, 5_000L, 9_000L);
  }

  @Test
  void draws_differ_by_their_seed_only() {
    Resampling resampling = Resampling.of(new InMemory(day(new Random(1), 4)));
    assertThat(jobs(resampling.draw(1))).isEqualTo(jobs(resampling.draw(1)));
    assertThat(jobs(resampling.draw(1))).isNotEqualTo(jobs(resampling.draw(2)));
  }

  private static List<TraceJob> jobs(TraceSource source) {
    List<TraceJob> jobs = new ArrayList<>();
    try (Trace trace = source.open()) {
      trace.forEachRemaining(jobs::add);
    }
    return jobs;
  }

  /// Two nodes cost half of four, though the jobs take longer on them.
  @Test
  void cost_of_a_month_does_not_hang_on_the_length_of_the_run() throws InterruptedException {
    Scenario scenario = scenario("a 0+36000 1x1\nb 7200+36000 1x1\nc 7200+36000 2x1\n");
    double two = month(scenario, 2);
    assertThat(two).isEqualTo(2 * 3 * 730.0);
    assertThat(month(scenario, 4)).isEqualTo(2 * two);
  }

  private static double month(Scenario scenario, int nodes) throws InterruptedException {
    Fleet fleet = fleet(nodes).priced(3);
    return SummaryCalculation.of(scenario.on(fleet).run(RunObserver.NONE)).costPerMonth();
  }

  @Test
  void unknown_names_are_found_before_any_run() {
    TraceSource trace = TraceSource.of("t", TraceJobs.of("a 0+1 1x1 prod\nb 0+1 1x1 dev\n"));
    PlanGoal.of("p95 wait of queue dev under 1s").check(trace);
    assertThatThrownBy(() -> PlanGoal.of("p95 wait of queue test under 1s").check(trace))
        .hasMessage("Unknown queue test; the trace has dev, prod.");
    assertThatThrownBy(() -> PlanGoal.of("p95 wait of namespace ml under 1s").check(trace))
        .hasMessage("Unknown namespace ml; the trace has no namespaces.");
  }
}
