package dev.muster.simulator.experiment;

import dev.muster.policy.file.Durations;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A trace with its submission times counted from the first submission.
///
/// The arrival rate can be scaled: jobs come more often, or less often, than in the trace.
final class Arrivals implements Trace {
  private final Trace trace;
  private final double times;
  private final UnaryOperator<TraceJob> wishes;
  private final long first;
  private @Nullable TraceJob ahead;

  /// Reads the first job.
  ///
  /// @param times factor of the arrival rate; 1 keeps that of the trace
  /// @param wishes changes jobs, for example adds the models that they prefer
  Arrivals(Trace trace, double times, UnaryOperator<TraceJob> wishes) {
    this.trace = trace;
    this.wishes = wishes;
    this.times = times;
    this.ahead = trace.hasNext() ? trace.next() : null;
    this.first = ahead == null ? 0 : ahead.submitMillis();
  }

  /// The instant of the first submission.
  @Override
  public Instant start() {
    return trace.start().plusMillis(first);
  }

  @Override
  public List<String> assumptions() {
    List<String> assumptions = new ArrayList<>(trace.assumptions());
    if (first != 0) {
      assumptions.add(
          "Times count from the first submission, which the trace has at %s."
              .formatted(Durations.print(Duration.ofMillis(first))));
    }
    if (times != 1) {
      assumptions.add("Jobs come %s times as often as in the trace.".formatted(times));
    }
    return assumptions;
  }

  @Override
  public long skipped() {
    return trace.skipped();
  }

  @Override
  public OptionalDouble share() {
    return trace.share();
  }

  @Override
  public boolean hasNext() {
    return ahead != null;
  }

  @Override
  public TraceJob next() {
    TraceJob job = ahead;
    if (job == null) {
      throw new NoSuchElementException("No more jobs.");
    }
    ahead = trace.hasNext() ? trace.next() : null;
    long since = job.submitMillis() - first;
    return wishes.apply(job.submitted(times == 1 ? since : (long) (since / times)));
  }

  @Override
  public void close() {
    trace.close();
  }
}
