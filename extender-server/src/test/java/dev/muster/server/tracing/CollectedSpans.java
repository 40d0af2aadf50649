package dev.muster.server.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// An exporter that keeps what it is given.
final class CollectedSpans implements SpanExporter {
  private final List<SpanData> spans = new CopyOnWriteArrayList<>();

  List<SpanData> spans() {
    return spans;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> more) {
    spans.addAll(more);
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
