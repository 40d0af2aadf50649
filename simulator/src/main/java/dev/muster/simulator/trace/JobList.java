package dev.muster.simulator.trace;

import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/// A trace in memory.
public final class JobList implements Trace {
  private final Iterator<TraceJob> jobs;
  private final Instant start;
  private final List<String> assumptions;

  /// These jobs, in order of submission; equal times in the order given.
  public JobList(List<TraceJob> jobs) {
    this(jobs, Instant.EPOCH, List.of());
  }

  /// These jobs of another trace, in order of submission; equal times in the order given.
  ///
  /// @param start the instant that submission times count from
  /// @param assumptions what the reader assumed
  public JobList(List<TraceJob> jobs, Instant start, List<String> assumptions) {
    this.jobs = jobs.stream().sorted(Comparator.comparingLong(TraceJob::submitMillis)).iterator();
    this.start = start;
    this.assumptions = List.copyOf(assumptions);
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
