package dev.muster.simulator.run.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Jobs preempt others in a simulated run.
final class PreemptingRunTest {
  private static final SimulationSetup SETUP =
      new SimulationSetup("test", "muster", "muster", 42, Instant.EPOCH, List.of());

  private static TraceJob job(String name, long submitMillis, int workers, int priority) {
    return new TraceJob(
        name,
        "",
        "",
        submitMillis,
        100_000_000,
        workers,
        workers,
        TraceJobs.gpus(8),
        GangConstraints.NONE,
        priority,
        "");
  }

  /// Each second victims are sought for two of the gangs that wait, in the live cluster.
  @Test
  void last_of_many_waiting_jobs_is_tried_as_soon_as_in_the_live_cluster()
      throws InterruptedException {
    List<TraceJob> jobs = new ArrayList<>();
    jobs.add(job("low", 0, 1, 0));
    jobs.add(job("prod", 0, 3, 100));
    for (int i = 0; i < 30; i++) {
      jobs.add(job("wide" + i, 1000, 2, 60 - i)); // none of them finds two nodes
    }
    jobs.add(job("last", 1000, 1, 10));
    Policies policies = Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE));
    RunResult result =
        MusterRun.of(
            SETUP,
            FleetNotation.parse("4x8").orElseThrow(),
            new JobList(jobs),
            policies,
            MusterRun.Options.DEFAULT);
    assertThat(result.jobs().getLast().startMillis()).isBetween(1000L, 20_000L);
  }
}
