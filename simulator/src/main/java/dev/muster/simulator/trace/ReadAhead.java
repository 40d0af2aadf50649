package dev.muster.simulator.trace;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalDouble;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/// A trace read by a separate thread, ahead of its consumer.
///
/// With a second core the simulation does not wait for the file. An error of a job is thrown when
/// the consumer reaches that job.
final class ReadAhead implements Trace {
  private static final int JOBS = 256;
  private static final int BATCHES = 16;

  private final Trace trace;
  private final BlockingQueue<Batch> read = new ArrayBlockingQueue<>(BATCHES);
  private final Thread reader;
  private Batch now;
  private OptionalDouble before = OptionalDouble.empty();
  private int at;
  private boolean over;

  /// Consecutive jobs.
  ///
  /// @param jobs the jobs; none at the end of the trace
  /// @param skipped number of bad rows left out before the end of the batch
  /// @param share share of the trace up to the end of the batch
  /// @param failed the failure after these jobs, if the trace cannot be read on
  private record Batch(
      List<TraceJob> jobs, long skipped, OptionalDouble share, @Nullable Throwable failed) {
    boolean isLast() {
      return jobs.isEmpty() || failed != null;
    }
  }

  /// Starts to read.
  ///
  /// @param trace the trace, which no other code may use
  ReadAhead(Trace trace) {
    this.trace = trace;
    this.now = new Batch(List.of(), trace.skipped(), trace.share(), null);
    this.reader = Thread.ofPlatform().daemon().name("trace reader").start(this::read);
  }

  private void read() {
    try {
      Batch next;
      do {
        next = batch();
        read.put(next);
      } while (!next.isLast());
    } catch (InterruptedException _) {
      // closed
    }
  }

  private Batch batch() {
    List<TraceJob> jobs = new ArrayList<>(JOBS);
    Throwable failure = null;
    try {
      while (jobs.size() < JOBS && trace.hasNext()) {
        jobs.add(trace.next());
      }
    } catch (RuntimeException | Error failed) { // out-of-memory errors, too, reach the consumer
      failure = failed;
    }
    return new Batch(jobs, trace.skipped(), trace.share(), failure);
  }

  @Override
  public boolean hasNext() {
    while (at == now.jobs().size()) {
      switch (now.failed()) {
        case RuntimeException failed -> throw failed;
        case Error failed -> throw failed;
        case null, default -> {}
      }
      if (over) {
        return false;
      }
      before = now.share();
      now = taken();
      at = 0;
      over = now.isLast();
    }
    return true;
  }

  private Batch taken() {
    try {
      return read.take();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(
          new InterruptedIOException("interrupted while a trace was read"));
    }
  }

  @Override
  public TraceJob next() {
    if (!hasNext()) {
      throw new NoSuchElementException("No more jobs.");
    }
    return now.jobs().get(at++);
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
    return now.skipped();
  }

  @Override
  public OptionalDouble share() {
    if (at == now.jobs().size() || before.isEmpty() || now.share().isEmpty()) {
      return now.share();
    }
    double more = now.share().getAsDouble() - before.getAsDouble();
    return OptionalDouble.of(before.getAsDouble() + more * at / now.jobs().size());
  }

  /// Closes the trace after its thread has ended.
  @Override
  public void close() {
    reader.interrupt();
    boolean interrupted = false;
    while (reader.isAlive()) {
      try {
        reader.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    trace.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
