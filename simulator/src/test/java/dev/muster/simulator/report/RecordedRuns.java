package dev.muster.simulator.report;

import dev.muster.core.state.Policies;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.engine.MusterRun;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.trace.JobList;
import java.time.Instant;
import java.util.List;

/// Small recorded runs for reports.
final class RecordedRuns {
  private RecordedRuns() {}

  /// The jobs on the fleet, under our own policy.
  static RunResult of(String fleet, String jobs) throws InterruptedException {
    SimulationSetup setup =
        new SimulationSetup("drawn", "muster", "muster", 42, Instant.EPOCH, List.of("A note."));
    return MusterRun.of(
        setup,
        FleetNotation.parse(fleet).orElseThrow(),
        new JobList(TraceJobs.of(jobs)),
        Policies.DEFAULT,
        MusterRun.Options.DEFAULT);
  }

  /// A job that runs, one that waits for it, a gang on two nodes, and one that can never start.
  static RunResult drawn() throws InterruptedException {
    return of(
        "2x8:V100",
        """
        a 0+100 1x8 prod
        b 0+50 2x8 test
        c 0+20 1x4 prod
        d 0+1 1x16 test
        """);
  }
}
