package dev.muster.simulator.experiment;

import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.List;

/// A trace whose jobs come more often, or less.
final class Hastened implements Trace {
  private final Trace trace;
  private final double times;

  Hastened(Trace trace, Models models) {
    this.trace = trace;
    this.times = models.arrivals();
  }

  @Override
  public Instant start() {
    return trace.start();
  }

  @Override
  public List<String> assumptions() {
    return trace.assumptions();
  }

  @Override
  public long skipped() {
    return trace.skipped();
  }

  @Override
  public boolean hasNext() {
    return trace.hasNext();
  }

  @Override
  public TraceJob next() {
    TraceJob job = trace.next();
    return job.submitted((long) (job.submitMillis() / times));
  }

  @Override
  public void close() {
    trace.close();
  }
}
