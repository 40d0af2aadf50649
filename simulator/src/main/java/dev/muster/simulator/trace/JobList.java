package dev.muster.simulator.trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalDouble;

/// A trace in memory.
public final class JobList implements Trace {
  private final Iterator<TraceJob> jobs;
  private final int size;
  private final Instant start;
  private final List<String> assumptions;
  private final long skipped;
  private int handedOut;

  /// Creates a trace of jobs, in order of submission; equal times keep the given order.
  public JobList(List<TraceJob> jobs) {
    this(jobs, Instant.EPOCH, List.of(), 0);
  }

  /// Creates a trace of jobs of another trace, in order of submission; equal times keep the given
  /// order.
  ///
  /// @param start the instant that submission times count from
  /// @param assumptions assumptions of the reader
  /// @param skipped number of bad rows that it left out
  public JobList(List<TraceJob> jobs, Instant start, List<String> assumptions, long skipped) {
    this.size = jobs.size();
    List<TraceJob> sorted = new ArrayList<>(jobs);
    sorted.sort(Comparator.comparingLong(TraceJob::submitMillis));
    this.jobs = sorted.iterator();
    this.start = start;
    this.assumptions = List.copyOf(assumptions);
    this.skipped = skipped;
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
  public long skipped() {
    return skipped;
  }

  @Override
  public OptionalDouble share() {
    return OptionalDouble.of(size == 0 ? 1 : handedOut / (double) size);
  }

  @Override
  public boolean hasNext() {
    return jobs.hasNext();
  }

  @Override
  public TraceJob next() {
    handedOut++;
    return jobs.next();
  }

  @Override
  public void close() {}
}
