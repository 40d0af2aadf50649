package dev.muster.simulator.kit;

import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.trace.JobList;
import dev.muster.simulator.trace.Trace;

/// A trace as text in a test, parsed by [TraceJobs].
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
