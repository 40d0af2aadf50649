package dev.muster.simulator.trace;

import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/// A trace in memory.
public final class JobList implements Trace {
  private final Iterator<TraceJob> jobs;

  /// These jobs, in order of submission; equal times in the order given.
  public JobList(List<TraceJob> jobs) {
    this.jobs = jobs.stream().sorted(Comparator.comparingLong(TraceJob::submitMillis)).iterator();
  }

  @Override
  public Instant start() {
    return Instant.EPOCH;
  }

  @Override
  public List<String> assumptions() {
    return List.of();
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
