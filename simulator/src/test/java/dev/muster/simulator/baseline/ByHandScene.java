package dev.muster.simulator.baseline;

import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.JobList;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/// Runs of classic policies on a few jobs.
abstract class ByHandScene {
  static RunResult run(String fleet, String jobs, PolicyName policy, BaselineOptions options) {
    return run(fleet, jobs, new BaselineRun.Policy(policy, options));
  }

  static RunResult run(String fleet, String jobs, BaselineRun.Policy policy) {
    return BaselineRun.of(
        new SimulationSetup("", policy.name().key(), "", 0, Instant.EPOCH, List.of()),
        FleetNotation.parse(fleet).orElseThrow(),
        new JobList(TraceJobs.of(jobs)),
        policy,
        RunObserver.NONE);
  }

  static String times(String fleet, String jobs, PolicyName policy) {
    return times(run(fleet, jobs, policy, BaselineOptions.of(policy.placement())));
  }

  static String times(RunResult result) {
    return result.jobs().stream().map(ByHandScene::line).collect(Collectors.joining(", "));
  }

  static String line(JobOutcome job) {
    return "%s %d-%d".formatted(job.job().id(), job.startMillis() / 1000, job.endMillis() / 1000);
  }

  static final String QUEUE =
      """
      a 0+10 1x6
      b 1+20 1x8
      c 2+5 1x2
      d 3+30 1x2
      """;
}
