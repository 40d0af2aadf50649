package dev.muster.server.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Makes OpenTelemetry spans of finished spans, and gives them to an exporter in batches.
///
/// The ids of a trace and of its root are made of the life of the gang. So a phase is exported
/// before the root, and another process that continues the trace finds the same ids.
///
/// It is used by one thread at a time.
final class SpanWriter implements Consumer<GangSpan>, AutoCloseable {
  private static final long GRACE_SECONDS = 2;

  /// Characters of an attribute. Reasons are mostly shorter.
  private static final int LONGEST = 500;

  private final LimitedExporter exporter;
  private final RootIds ids = new RootIds();
  private final SdkTracerProvider provider;
  private final Tracer tracer;

  SpanWriter(LimitedExporter exporter, Attributes service) {
    this.exporter = exporter;
    provider =
        SdkTracerProvider.builder()
            .setIdGenerator(ids)
            .setResource(Resource.getDefault().merge(Resource.create(service)))
            .setSpanLimits(SpanLimits.builder().setMaxAttributeValueLength(LONGEST).build())
            .addSpanProcessor(
                BatchSpanProcessor.builder(exporter).setMaxQueueSize(LimitedExporter.MOST).build())
            .build();
    tracer = provider.get("muster");
  }

  /// Ids of a trace and its root.
  private record Root(String trace, String span) {
    private static final int TRACE_DIGITS = 32;
    private static final int SPAN_DIGITS = 16;

    static Root of(String life) {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        String hex = HexFormat.of().formatHex(digest.digest(life.getBytes(StandardCharsets.UTF_8)));
        return new Root(
            hex.substring(0, TRACE_DIGITS),
            hex.substring(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every JDK has SHA-256.", e);
      }
    }
  }

  /// Gives the next root its ids, and any other span a random one.
  private static final class RootIds implements IdGenerator {
    private final IdGenerator random = IdGenerator.random();
    private @Nullable Root next;

    @Override
    public String generateSpanId() {
      return next == null ? random.generateSpanId() : next.span();
    }

    @Override
    public String generateTraceId() {
      return next == null ? random.generateTraceId() : next.trace();
    }
  }

  @Override
  public void accept(GangSpan span) {
    if (!exporter.admits()) {
      return;
    }
    Root root = Root.of(span.life());
    SpanBuilder builder =
        tracer
            .spanBuilder(span.name())
            .setStartTimestamp(span.start())
            .setAllAttributes(span.attributes());
    ids.next = span.isRoot() ? root : null;
    Span made =
        (span.isRoot() ? builder.setNoParent() : builder.setParent(below(root))).startSpan();
    span.events().forEach(event -> made.addEvent(event.name(), event.attributes(), event.at()));
    if (span.failed()) {
      made.setStatus(StatusCode.ERROR);
    }
    made.end(span.end());
  }

  private static Context below(Root root) {
    return Context.root()
        .with(
            Span.wrap(
                SpanContext.create(
                    root.trace(), root.span(), TraceFlags.getSampled(), TraceState.getDefault())));
  }

  /// Exports what waits, for two seconds at most.
  @Override
  public void close() {
    var _ = provider.shutdown().join(GRACE_SECONDS, TimeUnit.SECONDS);
  }
}
