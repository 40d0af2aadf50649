package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A collector gets one trace of a gang, also when Muster was killed in between.
class TracingE2E {
  private static final List<Span> RECEIVED = new CopyOnWriteArrayList<>();
  private static final HttpServer COLLECTOR = collector();

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .with(
              "tracing: {endpoint: \"http://127.0.0.1:%d\"}"
                  .formatted(COLLECTOR.getAddress().getPort()));

  private static HttpServer collector() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/v1/traces",
          exchange -> {
            var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            request.getResourceSpansList().stream()
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream())
                .forEach(RECEIVED::add);
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      server.start();
      return server;
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @AfterAll
  static void stop() {
    COLLECTOR.stop(0);
  }

  private static String attribute(Span span, String key) {
    return span.getAttributesList().stream()
        .filter(pair -> pair.getKey().equals(key))
        .map(KeyValue::getValue)
        .map(value -> value.getStringValue())
        .findFirst()
        .orElse("");
  }

  private static List<Span> spans(String gang) {
    return RECEIVED.stream()
        .filter(span -> attribute(span, "muster.gang.name").equals(gang))
        .toList();
  }

  private static void awaitSpan(String gang, String name) {
    await(name + " of " + gang)
        .atMost(TestCluster.WAIT)
        .until(() -> spans(gang).stream().anyMatch(span -> span.getName().equals(name)));
  }

  @Test
  void gang_is_one_trace_over_a_restart() throws Exception {
    STAGE.cluster().createNodes(NodeShape.withGpus("a", 8), NodeShape.withGpus("b", 8));
    STAGE.gangs().create("first", 2, 8);
    STAGE.cluster().awaitRunning("first-0", "first-1");
    STAGE.gangs().create("late", 2, 4);
    Thread.sleep(2_000);
    STAGE.cluster().delete("first-0");
    STAGE.cluster().delete("first-1");
    STAGE.cluster().awaitRunning("late-0", "late-1");
    awaitSpan("late", "starting");

    STAGE.killMuster();
    STAGE.startMuster();
    STAGE.cluster().delete("late-0");
    STAGE.cluster().delete("late-1");
    STAGE.cluster().awaitGone("late-0", "late-1");
    STAGE.gangs().delete("late");
    awaitSpan("late", "gang");

    List<Span> late = spans("late");
    Span root = late.getLast();
    assertThat(late)
        .extracting(Span::getName)
        .containsSubsequence("waiting", "starting", "running", "gang");
    assertThat(late).extracting(Span::getTraceId).containsOnly(root.getTraceId());
    assertThat(late)
        .filteredOn(span -> !span.equals(root))
        .extracting(Span::getParentSpanId)
        .containsOnly(root.getSpanId());
    assertThat(attribute(root, "muster.gang.uid")).isNotEmpty();
    Span waiting =
        late.stream().filter(span -> span.getName().equals("waiting")).findFirst().orElseThrow();
    assertThat(waiting.getEventsList())
        .extracting(Span.Event::getName)
        .contains("WaitingForCapacity");
    assertThat(Duration.ofNanos(waiting.getEndTimeUnixNano() - waiting.getStartTimeUnixNano()))
        .isGreaterThan(Duration.ofSeconds(1));
  }
}
