package dev.muster.server.tracing;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Traces over a real connection, to a receiver that decodes them and to none.
class GangTracingTest {
  private static final GangTracing.Service SERVICE = new GangTracing.Service("1.2.3", "muster-0");
  private static final List<State> LIFE =
      TracedScene.states(
          Scene.of("b1/r1: n1[........]")
              .arrives(gang("train").of(2, 4))
              .after(Duration.ofSeconds(5))
              .ends("train"),
          Policies.DEFAULT);

  private final List<ExportTraceServiceRequest> received = new CopyOnWriteArrayList<>();
  private Optional<HttpServer> server = Optional.empty();

  @AfterEach
  void stop() {
    server.ifPresent(open -> open.stop(0));
  }

  private URI receiver() throws IOException {
    HttpServer open =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    open.createContext(
        "/v1/traces",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          received.add(ExportTraceServiceRequest.parseFrom(body));
          byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
          exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
          exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
          exchange.close();
        });
    open.start();
    server = Optional.of(open);
    return address(open.getAddress().getPort());
  }

  private static URI address(int port) {
    return URI.create("http://127.0.0.1:%d/v1/traces".formatted(port));
  }

  private static URI nobody() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return address(free.getLocalPort());
    }
  }

  private static GangTracing open(URI receiver) {
    return GangTracing.open(receiver, SERVICE);
  }

  private static void note(GangTracing tracing, State state) {
    tracing.note(new Step(state, List.of(), List.of()));
  }

  private List<Span> spans() {
    return received.stream()
        .flatMap(request -> request.getResourceSpansList().stream())
        .flatMap(resource -> resource.getScopeSpansList().stream())
        .flatMap(scope -> scope.getSpansList().stream())
        .toList();
  }

  private static List<String> texts(List<KeyValue> attributes) {
    return attributes.stream()
        .map(pair -> pair.getKey() + "=" + pair.getValue().getStringValue())
        .toList();
  }

  @Test
  void receiver_gets_the_whole_trace_of_a_gang() throws IOException {
    try (GangTracing tracing = open(receiver())) {
      tracing.start(_ -> Optional.of("u1"));
      LIFE.forEach(state -> note(tracing, state));
    }
    await().until(() -> spans().stream().anyMatch(span -> span.getName().equals("gang")));
    assertThat(spans())
        .extracting(Span::getName)
        .containsExactly("gathering", "starting", "running", "gang");
    assertThat(spans()).extracting(Span::getTraceId).containsOnly(spans().getFirst().getTraceId());
    assertThat(texts(spans().getLast().getAttributesList()))
        .contains("k8s.namespace.name=ml", "muster.gang.name=train", "muster.gang.uid=u1");
  }

  @Test
  void receiver_learns_which_service_sends() throws IOException {
    try (GangTracing tracing = open(receiver())) {
      tracing.start(_ -> Optional.empty());
      LIFE.forEach(state -> note(tracing, state));
    }
    await().until(() -> !received.isEmpty());
    ResourceSpans resource = received.getFirst().getResourceSpans(0);
    assertThat(texts(resource.getResource().getAttributesList()))
        .contains("service.name=muster", "service.version=1.2.3", "service.instance.id=muster-0");
  }

  @Test
  void state_before_all_objects_were_seen_is_not_traced() throws IOException {
    try (GangTracing tracing = open(receiver())) {
      tracing.start(_ -> Optional.empty());
      State unsynced =
          Scene.unsynced("b1/r1: n1[........]", Policies.DEFAULT)
              .arrives(gang("train").of(2, 4))
              .state();
      note(tracing, unsynced);
      note(tracing, State.empty(Scene.RACKS));
    }
    assertThat(received).isEmpty();
  }

  @Test
  void dead_receiver_stops_nothing() throws IOException {
    try (GangTracing tracing = open(nobody())) {
      tracing.start(_ -> Optional.empty());
      for (int i = 0; i < 10_000; i++) {
        LIFE.forEach(state -> note(tracing, state));
      }
      await().until(() -> tracing.waiting() == 0);
    }
  }

  @Test
  void states_that_nobody_takes_are_left_out() throws IOException {
    try (GangTracing tracing = open(nobody())) { // its thread does not run
      for (int i = 0; i < 10 * GangTracing.MOST_STATES; i++) {
        note(tracing, LIFE.getLast());
      }
      assertThat(tracing.waiting()).isEqualTo(GangTracing.MOST_STATES);
    }
  }
}
