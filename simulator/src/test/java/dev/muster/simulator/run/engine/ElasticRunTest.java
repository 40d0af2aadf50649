package dev.muster.simulator.run.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.Sample;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A gang that runs with fewer members uses as many GPUs as are bound.
final class ElasticRunTest {
  private static final SimulationSetup SETUP =
      new SimulationSetup("test", "muster", "muster", 42, Instant.EPOCH, List.of());
  private static final String POLICY =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicy
      rules: [{name: up, when: preemptor.priority > victim.priority, action: Allow}]
      """;

  @TempDir private Path folder;

  /// A job of 8 members that can run with 4.
  private static final TraceJob ELASTIC = job("e", 0, 60, 8, 4, 0);

  private static final TraceJob HALF = job("half", 10, 10, 4, 4, 100);

  private static TraceJob job(
      String id, int submit, int run, int workers, int minWorkers, int priority) {
    return new TraceJob(
        id,
        "",
        "",
        Duration.ofMinutes(submit).toMillis(),
        Duration.ofMinutes(run).toMillis(),
        workers,
        minWorkers,
        TraceJobs.gpus(1),
        GangConstraints.NONE,
        priority,
        "");
  }

  private RunResult run(TraceJob... jobs) throws IOException, InterruptedException {
    return run(OutageSchedule.NONE, jobs);
  }

  private Policies stopping() throws IOException {
    Path file = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    PreemptionPolicy policy = PolicyLoader.plain(file).orThrow(IllegalStateException::new);
    return Policies.DEFAULT.with(policy);
  }

  private RunResult run(OutageSchedule outages, TraceJob... jobs)
      throws IOException, InterruptedException {
    return run("1x8", outages, jobs);
  }

  private RunResult run(String fleet, OutageSchedule outages, TraceJob... jobs)
      throws IOException, InterruptedException {
    PreemptionCost hourly = PreemptionCost.of(Optional.of(Duration.ofHours(1)), Duration.ZERO);
    return MusterRun.of(
        SETUP,
        FleetNotation.parse(fleet).orElseThrow(),
        new JobList(List.of(jobs)),
        stopping(),
        new MusterRun.Options(Duration.ZERO, SpeedModel.FULL, hourly, outages, RunObserver.NONE));
  }

  @Test
  void elastic_gang_starts_where_it_does_not_fit_whole() throws IOException, InterruptedException {
    TraceJob job =
        new TraceJob("e", "", "", 0, 60_000, 3, 1, TraceJobs.gpus(4), GangConstraints.NONE, 0, "");
    RunResult result = run(job);
    assertThat(result.jobs().getFirst().state()).isEqualTo(JobOutcome.State.DONE);
    assertThat(result.jobs().getFirst().heldGpuMillis()).isEqualTo(2 * 4 * 60_000);
  }

  @Test
  void gang_with_a_minimum_that_does_not_fit_is_rejected()
      throws IOException, InterruptedException {
    TraceJob job =
        new TraceJob("e", "", "", 0, 60_000, 4, 3, TraceJobs.gpus(4), GangConstraints.NONE, 0, "");
    assertThat(run(job).jobs().getFirst().state()).isEqualTo(JobOutcome.State.REJECTED);
  }

  @Test
  void evicted_spare_members_use_nothing() throws IOException, InterruptedException {
    RunResult result = run(ELASTIC, HALF);
    assertThat(result.jobs().getLast().startMillis()).isEqualTo(601_000);
    assertThat(result.jobs().getFirst().preemptions()).isZero();
    assertThat(result.samples()).allMatch(sample -> sample.usedGpus() <= sample.totalGpus());
  }

  @Test
  void gpu_time_of_jobs_is_the_integral_of_usage() throws IOException, InterruptedException {
    RunResult result = run(ELASTIC, HALF);
    double used = 0;
    for (Sample sample : result.samples()) {
      used += sample.usedGpus() * (sample.toMillis() - sample.fromMillis());
    }
    long held = result.jobs().stream().mapToLong(JobOutcome::heldGpuMillis).sum();
    assertThat((double) held).isCloseTo(used, within(1.0));
    assertThat(result.jobs().getLast().heldGpuMillis()).isEqualTo(4 * 600_000);
  }

  /// The first node is away for a minute, after five.
  private static OutageSchedule away() {
    OutageSchedule.Window window =
        new OutageSchedule.Window("node-00001", Duration.ofMinutes(5), Duration.ofMinutes(1));
    return new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of(window));
  }

  /// The scheduler hears of its pods one by one, and thinks again after each of them.
  @Test
  void gang_that_loses_a_node_takes_no_more_of_another_than_free()
      throws IOException, InterruptedException {
    TraceJob job =
        new TraceJob("e", "", "", 0, 600_000, 2, 1, TraceJobs.gpus(8), GangConstraints.NONE, 0, "");
    RunResult result = run("3x8", away(), job);
    assertThat(result.jobs().getFirst().nodes()).isEqualTo(2);
    assertThat(result.spans()).hasSize(4).allMatch(span -> span.gpuMilli() == 8_000);
  }

  @Test
  void members_without_gpus_leave_their_node_too() throws IOException, InterruptedException {
    TraceJob job =
        new TraceJob(
            "cpu", "", "", 0, 600_000, 3, 2, TraceJobs.gpus(0), GangConstraints.NONE, 0, "");
    JobOutcome outcome = run(away(), job).jobs().getFirst();
    assertThat(outcome.preemptions()).isEqualTo(1);
    assertThat(outcome.state()).isEqualTo(JobOutcome.State.DONE);
    assertThat(outcome.nodes()).isEqualTo(1);
  }

  @Test
  void lost_gpu_time_is_that_of_held_gpus() throws IOException, InterruptedException {
    // 601 s with 8 members and 300 s with 4, all of it since the last checkpoint.
    RunResult result = run(ELASTIC, HALF, job("whole", 15, 1, 8, 8, 200));
    assertThat(result.stops().getFirst().job()).isZero();
    assertThat(result.stops().getFirst().lostGpuMillis()).isEqualTo(8 * 601_000 + 4 * 300_000);
  }

  /// A gang of four that can start with two. Two fit a node, and each node is half as fast as one.
  private RunResult spread(String fleet, TraceJob... jobs)
      throws IOException, InterruptedException {
    SpeedModel speed = new SpeedModel(new TreeMap<>(), new TreeMap<>(Map.of("node", 2.0)));
    return MusterRun.of(
        SETUP,
        FleetNotation.parse(fleet).orElseThrow(),
        new JobList(List.of(jobs)),
        stopping(),
        new MusterRun.Options(
            Duration.ZERO, speed, PreemptionCost.NONE, OutageSchedule.NONE, RunObserver.NONE));
  }

  @Test
  void spare_members_count_where_a_gang_runs() throws IOException, InterruptedException {
    JobOutcome gang = spread("2x2", job("e", 0, 60, 4, 2, 0)).jobs().getFirst();
    assertThat(gang.nodes()).isEqualTo(2);
  }

  @Test
  void spare_members_on_another_node_slow_the_gang_down() throws IOException, InterruptedException {
    JobOutcome gang = spread("2x2", job("e", 0, 60, 4, 2, 0)).jobs().getFirst();
    assertThat(gang.endMillis()).isEqualTo(Duration.ofHours(2).toMillis());
  }

  @Test
  void gang_is_slower_from_when_spare_members_join() throws IOException, InterruptedException {
    // Alone on its node for 10 min; what is left, 50 min, takes twice as long.
    RunResult run = spread("2x2", job("first", 0, 10, 2, 2, 0), job("e", 0, 60, 4, 2, 0));
    JobOutcome gang = run.jobs().getLast();
    assertThat(gang.startMillis()).isZero();
    assertThat(gang.endMillis()).isBetween(110 * 60_000L - 2_000, 110 * 60_000L);
    assertThat(gang.lostGpuMillis()).isZero();
  }

  @Test
  void run_ends_with_its_last_job() throws IOException, InterruptedException {
    // Slow it would take 120 min; from 10 to 60 min it is alone on a node, and fast.
    RunResult run = spread("2x2", job("e", 0, 60, 4, 2, 0), job("high", 10, 50, 2, 2, 100));
    assertThat(run.jobs().getFirst().endMillis()).isLessThan(Duration.ofMinutes(75).toMillis());
    assertThat(run.endMillis()).isEqualTo(run.jobs().getFirst().endMillis());
  }
}
