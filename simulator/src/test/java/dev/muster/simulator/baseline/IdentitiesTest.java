package dev.muster.simulator.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.Sample;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Conservation laws and bounds hold for every run of every policy.
final class IdentitiesTest {
  private static RunResult run(
      Fleet fleet, List<TraceJob> jobs, PolicyName policy, NodeChoice how) {
    return run(fleet, jobs, new BaselineRun.Policy(policy, BaselineOptions.of(how)));
  }

  private static RunResult run(Fleet fleet, List<TraceJob> jobs, BaselineRun.Policy policy) {
    return BaselineRun.of(
        new SimulationSetup("", policy.name().key(), "", 0, Instant.EPOCH, List.of()),
        fleet,
        new JobList(jobs),
        policy,
        RunObserver.NONE);
  }

  private static List<TraceJob> jobs(Random random, int mostWorkers, int mostEach) {
    List<TraceJob> jobs = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < 60; i++) {
      at += random.nextInt(20_000);
      int workers = 1 + random.nextInt(mostWorkers);
      jobs.add(
          new TraceJob(
              "j" + i,
              "",
              "q" + i % 3,
              at,
              random.nextInt(60_000),
              workers,
              workers,
              TraceJobs.gpus(1 + random.nextInt(mostEach)),
              GangConstraints.NONE,
              0,
              ""));
    }
    return jobs;
  }

  @Property(tries = 300)
  void work_is_conserved(
      @ForAll PolicyName policy, @ForAll NodeChoice placement, @ForAll long seed) {
    assertWorkIsConserved(
        run(
            FleetNotation.parse("3x4").orElseThrow(),
            jobs(new Random(seed), 3, 4),
            policy,
            placement));
  }

  /// Nodes fail all the time. A job that needs the whole fleet still runs.
  @Property(tries = 300)
  void work_is_conserved_where_nodes_fail(
      @ForAll PolicyName policy, @ForAll NodeChoice placement, @ForAll long seed) {
    OutageSchedule often =
        new OutageSchedule(Optional.of(Duration.ofMinutes(3)), Duration.ofSeconds(20), List.of());
    BaselineOptions options = BaselineOptions.of(placement);
    Random random = new Random(seed);
    BaselineOptions either =
        random.nextBoolean() ? options.with(BaselineOptions.Reservations.NAMED) : options;
    assertWorkIsConserved(
        run(
            FleetNotation.parse("3x4").orElseThrow(),
            jobs(random, 3, 4),
            new BaselineRun.Policy(policy, either, often)));
  }

  private static void assertWorkIsConserved(RunResult result) {
    double used = 0;
    for (Sample sample : result.samples()) {
      used += sample.usedGpus() * (sample.toMillis() - sample.fromMillis());
    }
    long work = 0;
    for (JobOutcome job : result.jobs()) {
      work += job.endMillis() < 0 ? 0 : job.job().runMillis() * job.job().gpuMilli() / 1000;
      assertThat(job.state()).isIn(JobOutcome.State.DONE, JobOutcome.State.REJECTED);
    }
    assertThat(Math.round(used)).isEqualTo(work);
  }

  @Property(tries = 300)
  void no_schedule_beats_the_bounds(
      @ForAll PolicyName policy, @ForAll NodeChoice placement, @ForAll long seed) {
    RunResult result =
        run(
            FleetNotation.parse("4x4").orElseThrow(),
            jobs(new Random(seed), 4, 4),
            policy,
            placement);
    List<JobOutcome> done = result.jobs().stream().filter(job -> job.endMillis() >= 0).toList();
    double jct = done.stream().mapToLong(j -> j.jctMillis().orElseThrow()).average().orElse(0);
    long last = done.stream().mapToLong(JobOutcome::endMillis).max().orElse(0);
    assertThat(jct).isGreaterThanOrEqualTo(result.bounds().fluidJctMillis() - 1e-6);
    assertThat((double) last).isGreaterThanOrEqualTo(result.bounds().makespanMillis() - 1e-6);
  }

  /// Jobs of one-GPU workers run on nodes of one GPU in strict order. All servers are equal, so the
  /// choice of nodes cannot matter. The starts are those of a queue with M servers.
  @Property(tries = 300)
  void one_gpu_per_node_is_a_queue_with_many_servers(
      @ForAll NodeChoice placement, @ForAll long seed) {
    List<TraceJob> jobs = jobs(new Random(seed), 6, 1);
    RunResult result =
        run(FleetNotation.parse("6x1").orElseThrow(), jobs, PolicyName.FIFO_STRICT, placement);
    PriorityQueue<Long> servers = new PriorityQueue<>();
    for (int i = 0; i < 6; i++) {
      servers.add(0L);
    }
    long head = 0;
    for (JobOutcome job : result.jobs()) {
      long free = 0;
      for (int i = 0; i < job.job().workers(); i++) {
        free = servers.remove();
      }
      head = Math.max(head, Math.max(free, job.job().submitMillis()));
      for (int i = 0; i < job.job().workers(); i++) {
        servers.add(head + job.job().runMillis());
      }
      assertThat(job.startMillis()).isEqualTo(head);
    }
  }
}
