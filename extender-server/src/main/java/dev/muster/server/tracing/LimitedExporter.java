package dev.muster.server.tracing;

import dev.muster.server.logging.LogThrottle;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Limits the spans that wait for a receiver, and warns once a minute of those that are lost.
///
/// Threads: any.
final class LimitedExporter implements SpanExporter {
  /// Spans that may wait.
  static final int MOST = 2_048;

  private static final Logger log = LoggerFactory.getLogger(LimitedExporter.class);
  private static final String LOST =
      "Traces are incomplete. Spans lost since the last such line: {}. {}.";

  private static final String TOO_FAST = "They come faster than the receiver takes them";

  private final SpanExporter exporter;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong lost = new AtomicLong();
  private final LogThrottle throttle;
  private volatile String reason = TOO_FAST;

  LimitedExporter(SpanExporter exporter, LogThrottle throttle) {
    this.exporter = exporter;
    this.throttle = throttle;
  }

  /// Returns whether one more span may be made. If not, it counts as lost.
  boolean admits() {
    if (waiting.incrementAndGet() <= MOST) {
      return true;
    }
    waiting.decrementAndGet();
    lose(1);
    return false;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int number = spans.size();
    waiting.addAndGet(-number);
    CompletableResultCode result = exporter.export(spans);
    return result.whenComplete(() -> {
      reason = result.isSuccess() ? TOO_FAST : reason(result.getFailureThrowable());
      if (!result.isSuccess()) {
        lose(number);
      }
    });
  }

  private static String reason(@Nullable Throwable failure) {
    if (failure == null) {
      return "The receiver refused them";
    }
    Throwable cause = failure.getCause(); // below the type of OpenTelemetry
    return "The receiver cannot be reached or refuses them: " + (cause == null ? failure : cause);
  }

  private void lose(int number) {
    lost.addAndGet(number);
    if (throttle.isNew(LOST)) {
      log.warn(LOST, lost.getAndSet(0), reason);
    }
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
