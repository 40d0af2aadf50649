package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.kit.TraceJobs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// A trace that is read ahead gives its jobs unchanged.
final class ReadAheadTest {
  /// A number of jobs, followed by a given end.
  private static class Some implements Trace {
    final AtomicInteger read = new AtomicInteger();
    final CountDownLatch closed = new CountDownLatch(1);
    private final int jobs;

    Some(int jobs) {
      this.jobs = jobs;
    }

    void atTheEnd() {}

    @Override
    public boolean hasNext() {
      if (read.get() == jobs) {
        atTheEnd();
      }
      return read.get() < jobs;
    }

    @Override
    public TraceJob next() {
      return TraceJobs.of("j%d 0+1 1x1".formatted(read.getAndIncrement())).getFirst();
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
    public void close() {
      closed.countDown();
    }
  }

  @Test
  void all_jobs_come_in_order() {
    List<String> ids = new ArrayList<>();
    try (Trace trace = new ReadAhead(new Some(1_000))) {
      trace.forEachRemaining(job -> ids.add(job.id()));
    }
    assertThat(ids).hasSize(1_000).startsWith("j0", "j1").endsWith("j998", "j999");
  }

  @Test
  void end_is_reported_on_every_call() {
    try (Trace trace = new ReadAhead(new Some(1))) {
      trace.next();
      assertThat(trace.hasNext()).isFalse();
      assertThat(trace.hasNext()).isFalse();
      assertThatThrownBy(trace::next).isInstanceOf(NoSuchElementException.class);
    }
  }

  @Test
  void mistake_is_reported_in_order() {
    Some broken =
        new Some(300) {
          @Override
          void atTheEnd() {
            throw new IllegalStateException("line 301");
          }
        };
    try (Trace trace = new ReadAhead(broken)) {
      for (int i = 0; i < 300; i++) {
        assertThat(trace.next().id()).isEqualTo("j" + i);
      }
      assertThatThrownBy(trace::hasNext).hasMessage("line 301");
      assertThatThrownBy(trace::next).hasMessage("line 301");
    }
  }

  @Test
  void error_in_the_reader_thread_is_reported() {
    Some broken =
        new Some(0) {
          @Override
          void atTheEnd() {
            throw new OutOfMemoryError("no room for a job");
          }
        };
    try (Trace trace = new ReadAhead(broken)) {
      assertThatThrownBy(trace::hasNext).isInstanceOf(OutOfMemoryError.class);
    }
  }

  @Test
  void reader_is_bounded() throws InterruptedException {
    Some endless = new Some(Integer.MAX_VALUE);
    try (Trace trace = new ReadAhead(endless)) {
      trace.next();
      int read;
      do { // until it rests
        read = endless.read.get();
        Thread.sleep(20);
      } while (endless.read.get() != read && read < 10_000);
      assertThat(read).isLessThan(10_000);
    }
  }

  @Test
  void closed_reader_closes_the_trace_early() {
    Some endless = new Some(Integer.MAX_VALUE);
    new ReadAhead(endless).close();
    assertThat(endless.closed.getCount()).isZero();
  }

  @Test
  void interrupted_reader_is_reported() {
    CountDownLatch asked = new CountDownLatch(1);
    Some slow =
        new Some(0) {
          @Override
          void atTheEnd() {
            try {
              asked.await();
            } catch (InterruptedException _) {
              // closed
            }
          }
        };
    try (Trace trace = new ReadAhead(slow)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(trace::hasNext).hasMessageContaining("interrupted");
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
