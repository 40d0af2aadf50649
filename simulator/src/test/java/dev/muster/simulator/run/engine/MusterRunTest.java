package dev.muster.simulator.run.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.state.Policies;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.AllocationSpan;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.JobOutcome.State;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.Sample;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The production engine gives known results on small traces.
final class MusterRunTest {
  private static final SimulationSetup SETUP =
      new SimulationSetup("test", "muster", "muster", 42, Instant.EPOCH, List.of());

  private static RunResult run(String fleet, String jobs) throws InterruptedException {
    return run(fleet, jobs, MusterRun.Options.DEFAULT);
  }

  private static RunResult run(String fleet, String jobs, MusterRun.Options options)
      throws InterruptedException {
    return run(fleet, new JobList(TraceJobs.of(jobs)), Policies.DEFAULT, options);
  }

  private static RunResult run(String fleet, JobList jobs, Policies policies)
      throws InterruptedException {
    return run(fleet, jobs, policies, MusterRun.Options.DEFAULT);
  }

  private static RunResult run(
      String fleet, JobList jobs, Policies policies, MusterRun.Options options)
      throws InterruptedException {
    return MusterRun.of(SETUP, FleetNotation.parse(fleet).orElseThrow(), jobs, policies, options);
  }

  private static String starts(RunResult result) {
    StringBuilder text = new StringBuilder();
    for (JobOutcome job : result.jobs()) {
      text.append(
          "%s %d-%d %s%n"
              .formatted(
                  job.job().id(),
                  seconds(job.startMillis()),
                  seconds(job.endMillis()),
                  job.state()));
    }
    return text.toString();
  }

  private static long seconds(long millis) {
    return millis < 0 ? -1 : millis / 1000;
  }

  @Test
  void jobs_start_at_once_where_they_fit() throws InterruptedException {
    RunResult result =
        run(
            "2x8",
            """
            a 0+100 1x8
            b 5+10 2x4
            """);
    assertThat(starts(result))
        .isEqualTo(
            """
            a 0-100 DONE
            b 5-15 DONE
            """);
    assertThat(result.endMillis()).isEqualTo(100_000);
    assertThat(result.cutShort()).isFalse();
  }

  @Test
  void most_important_of_simultaneous_jobs_is_first() throws InterruptedException {
    List<TraceJob> jobs =
        List.of(prior("low 5+100 1x8", 0), prior("high 5+10 1x8", 100), prior("b 5+10 1x8", 100));
    assertThat(starts(run("1x8", new JobList(jobs), Policies.DEFAULT)))
        .isEqualTo(
            """
            low 25-125 DONE
            high 5-15 DONE
            b 15-25 DONE
            """);
  }

  @Test
  void capacity_of_an_ended_job_is_offered_in_one_piece() throws InterruptedException {
    List<TraceJob> jobs =
        List.of(prior("low 0+100 2x8", 0), prior("wide 10+50 2x8", 1), prior("b 20+10 1x8", 1));
    assertThat(starts(run("2x8", new JobList(jobs), Policies.DEFAULT)))
        .isEqualTo(
            """
            low 0-100 DONE
            wide 100-150 DONE
            b 150-160 DONE
            """);
  }

  @Test
  void ceiling_of_a_queue_counts_among_simultaneous_jobs() throws InterruptedException {
    Queue guests = new Queue("guests", 1, List.of(), Optional.of(0), Quota.NONE, Quota.NONE);
    Queues queues = Queues.of(List.of(guests, Queue.of("prod")));
    Policies policies = Policies.of(queues, Duration.ofMinutes(2), Optional.empty());
    List<TraceJob> jobs =
        List.of(prior("loud 5+10 1x8 guests", 1000), prior("real 5+10 1x8 prod", 1));
    assertThat(starts(run("1x8", new JobList(jobs), policies)))
        .isEqualTo(
            """
            loud 15-25 DONE
            real 5-15 DONE
            """);
  }

  private static TraceJob prior(String line, int priority) {
    TraceJob job = TraceJobs.of(line).getFirst();
    return new TraceJob(
        job.id(),
        job.user(),
        job.queue(),
        job.submitMillis(),
        job.runMillis(),
        job.workers(),
        job.minWorkers(),
        job.request(),
        job.constraints(),
        priority,
        job.lineage());
  }

  @Test
  void gang_waits_whole() throws InterruptedException {
    RunResult result =
        run(
            "2x8",
            """
            a 0+100 1x8
            b 5+10 2x8
            c 6+10 1x8
            """);
    assertThat(starts(result))
        .isEqualTo(
            """
            a 0-100 DONE
            b 100-110 DONE
            c 6-16 DONE
            """);
  }

  @Test
  void job_may_have_the_name_of_a_pod_of_another() throws InterruptedException {
    RunResult result =
        run(
            "1x8",
            """
            bert 0+100 2x2
            bert-0 5+100 1x4
            c 6+10 1x2
            """);
    assertThat(starts(result))
        .isEqualTo(
            """
            bert 0-100 DONE
            bert-0 5-105 DONE
            c 100-110 DONE
            """);
  }

  @Test
  void job_that_fits_no_node_is_rejected() throws InterruptedException {
    RunResult result =
        run(
            "2x8",
            """
            a 0+100 1x16
            b 1+10 1x8
            """);
    assertThat(result.jobs().getFirst().state()).isEqualTo(State.REJECTED);
    assertThat(result.jobs().getLast().state()).isEqualTo(State.DONE);
  }

  @Test
  void rejected_job_does_not_count_as_waiting() throws InterruptedException {
    RunResult result = run("2x8", "a 0+100 1x8\nb 0+10 1x16\n");
    assertThat(result.samples()).allMatch(s -> s.strandedGpus() == 0 && s.waitingGangs() == 0);
  }

  @Test
  void job_that_fits_only_in_pieces_is_rejected_as_under_classic_policies()
      throws InterruptedException {
    assertThat(run("1x8", "a 0+10 1x5\n\nb 0+10 2x5\n").jobs())
        .map(JobOutcome::state)
        .containsExactly(State.DONE, State.REJECTED);
  }

  @Test
  void failures_do_not_continue_for_a_job_that_can_never_start() throws InterruptedException {
    var none = MusterRun.Options.DEFAULT;
    OutageSchedule often =
        new OutageSchedule(Optional.of(Duration.ofDays(10)), Duration.ofHours(6), List.of());
    var failing =
        new MusterRun.Options(
            none.latency(), none.speed(), none.preemptionCost(), often, none.observer());
    RunResult result = run("256x8", "a 0+3600 1x8\nb 0+10 1x9\n", failing);
    assertThat(result.jobs().getLast().state()).isEqualTo(State.REJECTED);
    assertThat(result.endMillis()).isEqualTo(3_600_000);
  }

  @Test
  void job_that_needs_failed_nodes_waits_for_them() throws InterruptedException {
    var none = MusterRun.Options.DEFAULT;
    OutageSchedule out =
        new OutageSchedule(
            Optional.empty(),
            Duration.ofHours(1),
            List.of(
                new OutageSchedule.Window("node-00001", Duration.ZERO, Duration.ofSeconds(90))));
    var maintained =
        new MusterRun.Options(
            none.latency(), none.speed(), none.preemptionCost(), out, none.observer());
    assertThat(starts(run("1x8", "a 10+5 1x8", maintained))).isEqualTo("a 90-95 DONE\n");
  }

  @Test
  void job_that_waits_at_the_end_states_the_reason() throws InterruptedException {
    var stopped = MusterRun.Options.of(Duration.ZERO, (submitted, _) -> submitted < 600);
    StringBuilder jobs = new StringBuilder("a 0+100000 1x8\nb 1+1 1x8\n");
    for (int i = 0; i < 2000; i++) {
      jobs.append("s%d %d+50 1x1%n".formatted(i, 2 + i));
    }
    JobOutcome waiting = run("1x8", jobs.toString(), stopped).jobs().get(1);
    assertThat(waiting.state()).isEqualTo(State.WAITING);
    assertThat(waiting.why().map(ReasonText::sentence))
        .hasValue("Needs 8 nvidia.com/gpu; free on matching nodes: 0 nvidia.com/gpu.");
  }

  @Test
  void latency_of_the_control_plane_counts() throws InterruptedException {
    var slow = MusterRun.Options.of(Duration.ofSeconds(3), RunObserver.NONE);
    assertThat(starts(run("1x8", "a 10+100 1x8", slow))).isEqualTo("a 13-113 DONE\n");
  }

  @Test
  void nodes_are_drained_for_a_long_wait() throws InterruptedException {
    // A stream of small jobs keeps two nodes busy; the big gang has its place drained after 30m.
    StringBuilder jobs = new StringBuilder("big 1+60 2x8\n");
    for (int i = 0; i < 600; i++) {
      jobs.append("s%d %d+600 1x4%n".formatted(i, 150 * i / 4 * 4));
    }
    RunResult result = run("2x8", jobs.toString());
    JobOutcome big =
        result.jobs().stream().filter(j -> j.job().id().equals("big")).findFirst().orElseThrow();
    assertThat(big.waitMillis().orElseThrow())
        .isBetween(Duration.ofMinutes(30).toMillis(), Duration.ofMinutes(41).toMillis());
  }

  @Test
  void placements_are_recorded() throws InterruptedException {
    RunResult result = run("2x8", "a 3+100 4x4");
    assertThat(result.spans())
        .containsExactly(
            new AllocationSpan(0, 0, 8000, 3000, 103_000),
            new AllocationSpan(0, 1, 8000, 3000, 103_000));
    assertThat(result.jobs().getFirst().nodes()).isEqualTo(2);
  }

  @Test
  void course_of_usage_adds_up() throws InterruptedException {
    RunResult result =
        run(
            "2x8",
            """
            a 0+100 1x8
            b 5+10 2x8
            """);
    double gpuSeconds = 0;
    for (Sample sample : result.samples()) {
      gpuSeconds += sample.usedGpus() * (sample.toMillis() - sample.fromMillis()) / 1000;
    }
    assertThat(gpuSeconds).isEqualTo(8 * 100 + 16 * 10);
    assertThat(result.samples().get(50).strandedGpus()).isEqualTo(8);
    assertThat(result.samples().get(50).waitingGpus()).isEqualTo(16);
  }

  @Test
  void interrupted_run_is_marked() throws InterruptedException {
    StringBuilder jobs = new StringBuilder();
    for (int i = 0; i < 2000; i++) {
      jobs.append("s%d %d+50 1x1%n".formatted(i, i));
    }
    var early = MusterRun.Options.of(Duration.ZERO, (_, _) -> false);
    RunResult result = run("64x8", jobs.toString(), early);
    assertThat(result.cutShort()).isTrue();
    assertThat(result.jobs()).hasSizeBetween(1, 1024);
  }
}
