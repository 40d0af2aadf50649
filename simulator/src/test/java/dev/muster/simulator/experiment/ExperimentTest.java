package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.generate.SyntheticTrace;
import dev.muster.simulator.generate.WeightedChoice;
import dev.muster.simulator.generate.WorkloadModel;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Experiments on small traces have known results.
final class ExperimentTest {
  private static final String QUEUE =
      """
      a 0+100 1x8
      b 10+20 1x8
      """;

  private static Scenario scenario(String fleet, String jobs, String policy) {
    return new Scenario(
        FleetNotation.parse(fleet).orElseThrow(),
        new InMemory(jobs),
        PolicyVariant.of(policy, Optional.empty()),
        Assumptions.NONE,
        42);
  }

  private static Assumptions with(
      SpeedModel speed, PreemptionCost preemptionCost, OutageSchedule outages) {
    Assumptions none = Assumptions.NONE;
    return new Assumptions(speed, preemptionCost, outages, none.latency(), none.options(), 1);
  }

  private static long end(RunResult run, int job) {
    return run.jobs().get(job).endMillis() / 1000;
  }

  /// Capacity held for big gangs must not delay all others. Eight draining places at once made this
  /// fleet stand still.
  @Test
  void jobs_on_a_small_busy_fleet_wait_little_longer_with_plans() throws InterruptedException {
    assertThat(busyWait("muster")).isLessThan(2 * busyWait("fifo-skip"));
  }

  /// The mean wait of 800 jobs on 64 GPUs at a load of 0.9, in seconds.
  private static double busyWait(String policy) throws InterruptedException {
    WorkloadModel model =
        new WorkloadModel(
            800,
            64,
            0.9,
            WeightedChoice.parse("1:60,8:30,16:10"),
            Duration.ofMinutes(30),
            1.5,
            0,
            WeightedChoice.parse("default:1"),
            8,
            42);
    TraceSource trace =
        new TraceSource() {
          @Override
          public String name() {
            return "busy";
          }

          @Override
          public Trace open() {
            return new SyntheticTrace(model);
          }
        };
    PolicyVariant variant = PolicyVariant.of(policy, Optional.empty());
    Scenario scenario =
        new Scenario(
            FleetNotation.parse("8x8").orElseThrow(), trace, variant, Assumptions.NONE, 42);
    return SummaryCalculation.of(scenario.run(RunObserver.NONE)).waitS().mean();
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "fifo-strict"})
  void faster_model_runs_jobs_sooner(String policy) throws InterruptedException {
    SpeedModel speed = new SpeedModel(new TreeMap<>(Map.of("V100", 2.0)), new TreeMap<>());
    RunResult run =
        scenario("1x8:V100", QUEUE, policy)
            .in(with(speed, PreemptionCost.NONE, OutageSchedule.NONE))
            .run(RunObserver.NONE);
    assertThat(end(run, 0)).isEqualTo(50);
    assertThat(end(run, 1)).isEqualTo(60);
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "fifo-strict"})
  void gang_over_several_nodes_is_slower(String policy) throws InterruptedException {
    SpeedModel speed = new SpeedModel(new TreeMap<>(), new TreeMap<>(Map.of("node", 1.5)));
    RunResult run =
        scenario("2x8", "wide 0+100 2x8\n", policy)
            .in(with(speed, PreemptionCost.NONE, OutageSchedule.NONE))
            .run(RunObserver.NONE);
    assertThat(end(run, 0)).isEqualTo(150);
  }

  @ParameterizedTest
  @ValueSource(strings = {"muster", "fifo-strict"})
  void maintenance_stops_jobs_on_its_node(String policy) throws InterruptedException {
    // Out from 60 to 90; a checkpoint every 25: 50 of 60 are kept, the rest is done again.
    OutageSchedule window =
        new OutageSchedule(
            Optional.empty(),
            Duration.ofHours(1),
            List.of(
                new OutageSchedule.Window(
                    "node-00001", Duration.ofSeconds(60), Duration.ofSeconds(30))));
    PreemptionCost preemptionCost =
        PreemptionCost.of(Optional.of(Duration.ofSeconds(25)), Duration.ofSeconds(5));
    RunResult run =
        scenario("1x8", "a 0+100 1x8\n", policy)
            .in(with(SpeedModel.FULL, preemptionCost, window))
            .run(RunObserver.NONE);
    JobOutcome job = run.jobs().getFirst();
    assertThat(job.endMillis()).isEqualTo((90 + 5 + 50) * 1000);
    assertThat(job.preemptions()).isEqualTo(1);
    assertThat(job.heldMillis()).isEqualTo((60 + 55) * 1000);
    assertThat(job.lostGpuMillis()).isEqualTo(8 * (60 + 55 - 100) * 1000);
  }

  @Test
  void equal_seeds_give_equal_failures() throws InterruptedException {
    OutageSchedule often =
        new OutageSchedule(Optional.of(Duration.ofSeconds(40)), Duration.ofSeconds(10), List.of());
    Scenario scenario =
        scenario("4x8", QUEUE, "fifo-skip").in(with(SpeedModel.FULL, PreemptionCost.NONE, often));
    assertThat(scenario.run(RunObserver.NONE)).isEqualTo(scenario.run(RunObserver.NONE));
    Scenario reseeded =
        new Scenario(
            scenario.fleet(), scenario.trace(), scenario.variant(), scenario.assumed(), 43);
    assertThat(reseeded.run(RunObserver.NONE).jobs())
        .isNotEqualTo(scenario.run(RunObserver.NONE).jobs());
  }

  @Test
  void more_frequent_jobs_arrive_sooner() throws InterruptedException {
    Assumptions none = Assumptions.NONE;
    Assumptions twice =
        new Assumptions(
            none.speed(), none.preemptionCost(), none.outages(), none.latency(), none.options(), 2);
    RunResult run = scenario("2x8", QUEUE, "fifo-skip").in(twice).run(RunObserver.NONE);
    assertThat(run.jobs().get(1).startMillis()).isEqualTo(5_000);
  }

  @Test
  void comparison_names_the_jobs_that_got_worse() throws InterruptedException {
    RunResult fifo = scenario("1x8", QUEUE, "fifo-strict").run(RunObserver.NONE);
    RunResult srtf = scenario("1x8", QUEUE, "srtf").run(RunObserver.NONE);
    RunComparison comparison = RunComparison.of(fifo, srtf);
    assertThat(comparison.better()).isEqualTo(1);
    assertThat(comparison.worse()).isEqualTo(1);
    assertThat(comparison.changes().getFirst().now().job().id()).isEqualTo("a");
    assertThat(comparison.meanMillis()).hasValue((20_000 - 90_000) / 2.0);
  }

  /// Names of jobs stay distinct whatever the names of their queues.
  @Test
  void run_compared_with_itself_changes_nothing() throws InterruptedException {
    String jobs =
        """
        c 0+10 1x1 a/b
        b/c 0+100 1x1 a
        """;
    RunResult run = scenario("1x8", jobs, "fifo-strict").run(RunObserver.NONE);
    RunComparison comparison = RunComparison.of(run, run);
    assertThat(comparison.changes()).hasSize(2).allMatch(change -> change.millis() == 0);
  }

  @Test
  void confidence_interval_uses_the_t_distribution() {
    ConfidenceInterval confidence = ConfidenceInterval.of(List.of(1.0, 2.0, 3.0));
    assertThat(confidence.mean()).isEqualTo(2);
    assertThat(confidence.plusMinus().orElseThrow()).isCloseTo(4.303 / Math.sqrt(3), within(1e-9));
  }

  @ParameterizedTest
  @CsvSource({"32,2.0395", "41,2.0211", "61,2.0003", "121,1.9799", "100001,1.9600"})
  void confidence_interval_uses_the_t_distribution_beyond_the_table(int seeds, double t) {
    List<Double> figures = Stream.iterate(0.0, figure -> figure + 1).limit(seeds).toList();
    double error = Math.sqrt((seeds + 1) / 12.0); // of 0, 1, 2 and so on
    assertThat(ConfidenceInterval.of(figures).plusMinus().orElseThrow() / error)
        .isCloseTo(t, within(2e-4));
  }

  @Test
  void one_seed_has_no_confidence_interval() {
    assertThat(ConfidenceInterval.of(List.of(7.0)))
        .isEqualTo(new ConfidenceInterval(7, OptionalDouble.empty()));
  }

  @Test
  void smallest_sufficient_fleet_is_found() throws InterruptedException {
    // Five jobs of a node each at once, 100 s each: nobody waits on 5 nodes, some 100 s on 3 or 4.
    String jobs =
        """
        a 0+100 1x8
        b 0+100 1x8
        c 0+100 1x8
        d 0+100 1x8
        e 0+100 1x8
        """;
    Scenario scenario = scenario("1x8", jobs, "fifo-strict");
    FleetPlan.Found found =
        FleetPlan.search(
            scenario,
            nodes -> FleetNotation.parse(nodes + "x8").orElseThrow(),
            PlanGoal.of("max wait under 1m"),
            64,
            new PlanBand.Draws(9, 1, RunObserver.NONE),
            RunObserver.NONE);
    assertThat(found.nodes()).contains(5);
    assertThat(found.curve().keySet()).contains(3, 4, 5, 6, 7);
    Optional<Integer> none =
        FleetPlan.search(
                scenario,
                nodes -> FleetNotation.parse(nodes + "x8").orElseThrow(),
                PlanGoal.of("max wait under 1m"),
                4,
                new PlanBand.Draws(9, 1, RunObserver.NONE),
                RunObserver.NONE)
            .nodes();
    assertThat(none).isEmpty();
  }

  @Test
  void goal_of_one_queue_is_not_blocked_by_another() throws InterruptedException {
    Scenario scenario = scenario("1x8", "a 0+100 1x8 prod\nb 0+100 1x9 dev\n", "fifo-skip");
    Summary run = SummaryCalculation.of(scenario.run(RunObserver.NONE));
    assertThat(PlanGoal.of("max wait of queue prod under 1s").isMet(run)).isTrue();
    assertThat(PlanGoal.of("max wait under 1s").isMet(run)).isFalse();
  }

  @Test
  void interrupted_plan_reports_only_whole_runs() throws InterruptedException {
    StringBuilder jobs = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      jobs.append("s%d %d+100 1x8%n".formatted(i, i));
    }
    AtomicLong seen = new AtomicLong();
    RunObserver untilTheSecondRun = (_, now) -> seen.getAndSet(now) <= now;
    FleetPlan.Found found =
        FleetPlan.search(
            scenario("1x8", jobs.toString(), "fifo-strict"),
            nodes -> FleetNotation.parse(nodes + "x8").orElseThrow(),
            PlanGoal.of("max wait under 1s"),
            256,
            new PlanBand.Draws(9, 1, RunObserver.NONE),
            untilTheSecondRun);
    assertThat(found.stopped()).isTrue();
    assertThat(found.nodes()).isEmpty();
    assertThat(found.curve().values()).isNotEmpty().noneMatch(run -> run.cutShort());
  }

  @Test
  void goal_is_read_as_written() {
    assertThat(PlanGoal.of("p95 wait of queue prod under 15m"))
        .isEqualTo(
            new PlanGoal("p95", "wait", Optional.of(new PlanGoal.Owner("queue", "prod")), 900));
    assertThatThrownBy(() -> PlanGoal.of("fast")).hasMessageContaining("p95 wait of queue prod");
  }

  /// Else the others would be run first, perhaps for hours.
  @Test
  void impossible_run_is_refused_before_it_starts(@TempDir Path folder) throws IOException {
    String cloud =
        Files.writeString(
                folder.resolve("cloud.yaml"),
                """
                apiVersion: simulator.muster.dev/v1
                kind: Fleet
                pools:
                  - {name: cloud, count: 2, gpus: 8, joinDelay: 5m}
                """)
            .toString();
    Scenario muster = scenario("2x8", QUEUE, "muster").on(Fleets.of(cloud));
    PolicyVariant easy = PolicyVariant.of("easy", Optional.empty());
    assertThatThrownBy(() -> muster.under(easy)).hasMessageContaining("has cloud nodes");
  }

  @Test
  void maintained_nodes_are_in_one_of_the_fleets() {
    var window = new OutageSchedule.Window("node-00002", Duration.ZERO, Duration.ofHours(1));
    OutageSchedule away =
        new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of(window));
    Fleet one = FleetNotation.parse("1x8").orElseThrow();
    Fleet two = FleetNotation.parse("2x8").orElseThrow();

    assertThat(away.on(List.of(one, two)).sentences(one)).isEmpty();
    assertThat(away.sentences(two)).hasSize(1);
    assertThatThrownBy(() -> away.on(List.of(one)))
        .hasMessageContaining("the fleet has no node of this name; the first is node-00001");
  }
}
