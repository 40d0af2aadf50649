package dev.muster.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.kit.Scene;
import dev.muster.server.logging.LogThrottle;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// Finished spans become spans of OpenTelemetry, or are counted as lost.
class SpanWriterTest {
  private static final SpanExporter SILENT = new Answering(new CompletableResultCode());

  private static GangSpan span(String life, String name) {
    return new GangSpan(
        life,
        name,
        Scene.START,
        Scene.START.plusSeconds(1),
        Attributes.of(TraceKeys.GANG, "g"),
        List.of(
            new GangSpan.Happening(
                Scene.START, "NotEnoughFree", Attributes.of(TraceKeys.MESSAGE, "x".repeat(9_000)))),
        name.equals(GangSpan.ROOT));
  }

  private static List<SpanData> written(GangSpan... spans) {
    CollectedSpans collected = new CollectedSpans();
    try (SpanWriter writer = writer(collected)) {
      for (GangSpan span : spans) {
        writer.accept(span);
      }
    }
    return collected.spans();
  }

  private static SpanWriter writer(SpanExporter exporter) {
    return new SpanWriter(
        new LimitedExporter(exporter, new LogThrottle()),
        Attributes.of(TraceKeys.SERVICE, "muster"));
  }

  @Test
  void phases_are_children_of_the_root_that_follows() {
    List<SpanData> spans = written(span("a", "waiting"), span("a", GangSpan.ROOT));
    SpanData root = spans.getLast();
    assertThat(root.getParentSpanContext().isValid()).isFalse();
    assertThat(spans.getFirst().getTraceId()).isEqualTo(root.getTraceId());
    assertThat(spans.getFirst().getParentSpanId()).isEqualTo(root.getSpanId());
  }

  @Test
  void two_lives_have_two_traces() {
    List<SpanData> spans = written(span("a", GangSpan.ROOT), span("b", GangSpan.ROOT));
    assertThat(spans).extracting(SpanData::getTraceId).doesNotHaveDuplicates();
  }

  @Test
  void another_process_makes_the_same_ids() {
    assertThat(written(span("a", GangSpan.ROOT)).getFirst().getSpanContext())
        .isEqualTo(written(span("a", GangSpan.ROOT)).getFirst().getSpanContext());
  }

  @Test
  void failure_is_the_status() {
    assertThat(written(span("a", GangSpan.ROOT)).getFirst().getStatus().getStatusCode())
        .isEqualTo(StatusCode.ERROR);
  }

  @Test
  void long_reason_is_cut() {
    String message =
        written(span("a", "waiting"))
            .getFirst()
            .getEvents()
            .getFirst()
            .getAttributes()
            .get(TraceKeys.MESSAGE);
    assertThat(message).hasSize(500);
  }

  /// An exporter that gives each batch the same answer.
  private record Answering(CompletableResultCode answer) implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      return answer;
    }

    @Override
    public CompletableResultCode flush() {
      return answer;
    }

    @Override
    public CompletableResultCode shutdown() {
      return answer;
    }
  }

  private static List<String> warnings(Runnable work) {
    Logger logger = (Logger) LoggerFactory.getLogger(LimitedExporter.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    logger.addAppender(told);
    try {
      work.run();
    } finally {
      logger.detachAppender(told);
    }
    return told.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void spans_that_nobody_takes_are_lost_with_one_warning() {
    LimitedExporter exporter = new LimitedExporter(SILENT, new LogThrottle());
    List<String> warnings =
        warnings(() -> {
          long admitted = 0;
          for (int i = 0; i < 100_000; i++) {
            admitted += exporter.admits() ? 1 : 0;
          }
          assertThat(admitted).isEqualTo(LimitedExporter.MOST);
        });
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith("Traces are incomplete. Spans lost since the last such line: 1.");
  }

  @Test
  void refused_spans_make_way_for_others() {
    LimitedExporter exporter =
        new LimitedExporter(new Answering(CompletableResultCode.ofFailure()), new LogThrottle());
    for (int i = 0; i < LimitedExporter.MOST; i++) {
      assertThat(exporter.admits()).isTrue();
    }
    assertThat(exporter.admits()).isFalse();
    var _ = exporter.export(written(span("a", "waiting")));
    assertThat(exporter.admits()).isTrue();
  }

  @Test
  void warning_names_the_failure_while_the_receiver_is_dead() {
    CompletableResultCode failure =
        CompletableResultCode.ofExceptionalFailure(
            new IOException("failed", new ConnectException("Connection refused")));
    LimitedExporter exporter =
        new LimitedExporter(
            new Answering(failure),
            new LogThrottle(Duration.ofSeconds(-1), InstantSource.system()));
    List<SpanData> one = written(span("a", "waiting"));
    List<String> warnings =
        warnings(() -> {
          for (int i = 0; i < LimitedExporter.MOST; i++) {
            exporter.admits();
          }
          var _ = exporter.export(one);
          exporter.admits();
          exporter.admits();
        });
    assertThat(warnings)
        .hasSize(2)
        .allMatch(line -> line.endsWith("java.net.ConnectException: Connection refused."));
  }

  @Test
  void end_does_not_wait_for_a_silent_receiver() {
    try (SpanWriter writer = writer(SILENT)) {
      writer.accept(span("a", "waiting"));
    }
  }
}
