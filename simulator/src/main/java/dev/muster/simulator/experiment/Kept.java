package dev.muster.simulator.experiment;

import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;

/// One walk over jobs in memory, which are in order of submission.
final class Kept implements Trace {
  private final Iterator<TraceJob> jobs;
  private final Instant start;
  private final List<String> assumptions;

  Kept(List<TraceJob> jobs, Instant start, List<String> assumptions) {
    this.jobs = jobs.iterator();
    this.start = start;
    this.assumptions = assumptions;
  }

  @Override
  public Instant start() {
    return start;
  }

  @Override
  public List<String> assumptions() {
    return assumptions;
  }

  @Override
  public boolean hasNext() {
    return jobs.hasNext();
  }

  @Override
  public TraceJob next() {
    return jobs.next();
  }

  @Override
  public void close() {}
}
