package dev.muster.simulator.kit;

import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.Trace;

/// A trace written down in a test, as [TraceJobs] reads it.
///
/// @param lines the jobs
public record InMemory(String lines) implements TraceSource {
  @Override
  public String name() {
    return "test";
  }

  @Override
  public Trace open() {
    return new JobList(TraceJobs.of(lines));
  }
}
