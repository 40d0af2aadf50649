package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.state.Policies;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Open connections are limited, and idle ones are closed first.
@Timeout(60)
class ConnectionLimitTest {
  private static final int MOST = 1_000;

  private final ServerImages image = ServerImages.cluster().train(1).waiting("w0");
  private final BlockingQueue<RoutingContext> held = new LinkedBlockingQueue<>();
  private final ServerMetrics metrics = new ServerMetrics(image::state);
  private final List<Socket> opened = new ArrayList<>();
  private final HttpFront front;

  ConnectionLimitTest() throws IOException {
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            image::state, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    front =
        HttpFront.start(
            dependencies,
            new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.empty()),
            router -> Routes.get(router, "/slow", "slow", held::add));
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : opened) {
      socket.close();
    }
    front.close();
    metrics.close();
  }

  private Socket open() throws IOException {
    return open(InetAddress.getLoopbackAddress());
  }

  private Socket open(InetAddress from) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port(), from, 0);
    socket.setSoTimeout(30_000);
    opened.add(socket);
    return socket;
  }

  private void openIdle(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      open();
    }
  }

  /// The answer to a call; empty when the connection was closed.
  private static String ask(Socket socket) throws IOException {
    return ask(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  private static String ask(Socket socket, String call) throws IOException {
    socket.getOutputStream().write(call.getBytes(StandardCharsets.US_ASCII));
    return answer(socket);
  }

  private static String answer(Socket socket) throws IOException {
    byte[] answer = new byte[4096];
    int length = socket.getInputStream().read(answer);
    return new String(answer, 0, Math.max(0, length), StandardCharsets.US_ASCII);
  }

  @Test
  void new_connection_closes_the_longest_idle_one() throws IOException {
    Socket first = open();
    assertThat(ask(first)).startsWith("HTTP/1.1 200 ");
    openIdle(MOST - 1);
    assertThat(ask(open())).startsWith("HTTP/1.1 200 ");
    assertThat(first.getInputStream().read()).as("the end").isNegative();
  }

  /// The API server's idle connections outlast those of a pod that opens many.
  @Test
  @EnabledOnOs(OS.LINUX) // others have one loopback address
  void connections_of_one_address_close_each_other_first() throws IOException {
    Socket other = open(InetAddress.getByName("127.0.0.2"));
    assertThat(ask(other)).startsWith("HTTP/1.1 200 ");
    openIdle(2 * MOST);
    assertThat(ask(other)).startsWith("HTTP/1.1 200 ");
  }

  /// A pod that made many connections known keeps no other caller out.
  @Test
  @EnabledOnOs(OS.LINUX) // others have one loopback address
  void known_connections_of_one_address_are_closed_before_one_that_waits() throws Exception {
    Socket waiting = open(InetAddress.getByName("127.0.0.2"));
    waiting
        .getOutputStream()
        .write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    RoutingContext page = held.take();
    String body = HttpFrontScene.args("w0", "\"gpu-1\"");
    String call =
        "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(body.length(), body);
    List<Socket> known = new ArrayList<>();
    for (int i = 1; i < MOST; i++) {
      Socket asking = open();
      known.add(asking);
      asking.getOutputStream().write(call.getBytes(StandardCharsets.US_ASCII));
    }
    for (Socket asking : known) {
      assertThat(answer(asking)).startsWith("HTTP/1.1 200 ");
    }
    openIdle(MOST / 2);
    HttpAnswer.text("text/plain", "late").send(page);
    assertThat(answer(waiting)).startsWith("HTTP/1.1 200 ");
  }

  /// Where each address has one connection, none is closed for being the largest.
  @Test
  @EnabledOnOs(OS.LINUX) // others have one loopback address
  void many_addresses_close_no_call_under_way() throws Exception {
    List<Socket> waiting = new ArrayList<>();
    List<RoutingContext> pages = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Socket caller = open(InetAddress.getByName("127.%d.0.1".formatted(10 * i + 5)));
      waiting.add(caller);
      caller
          .getOutputStream()
          .write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      pages.add(held.take());
    }
    for (int i = 0; i < 2 * MOST; i++) {
      open(InetAddress.getByName("127.%d.%d.2".formatted(i % 100, i / 100)));
    }
    for (RoutingContext page : pages) {
      HttpAnswer.text("text/plain", "late").send(page);
    }
    for (Socket caller : waiting) {
      assertThat(answer(caller)).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void connection_with_occasional_requests_stays_open() throws IOException {
    Socket asking = open();
    for (int i = 0; i < 5; i++) {
      assertThat(ask(asking)).startsWith("HTTP/1.1 200 ");
      openIdle(MOST / 3);
    }
    assertThat(ask(asking)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void closed_connection_frees_its_slot() throws IOException {
    Socket first = open();
    for (int i = 0; i < MOST; i++) {
      Socket brief = open();
      assertThat(ask(brief)).startsWith("HTTP/1.1 200 ");
      brief.close();
    }
    assertThat(ask(first)).startsWith("HTTP/1.1 200 ");
  }

  /// A tenant that opens connections without end cannot interrupt kube-scheduler.
  @Test
  void caller_with_a_call_under_way_keeps_its_connection() throws IOException {
    Socket calling = open();
    String body = HttpFrontScene.args("unknown", "\"gpu-1\"");
    calling
        .getOutputStream()
        .write(
            "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(body.length(), body)
                .getBytes(StandardCharsets.US_ASCII)); // answered after 100 ms
    openIdle(2 * MOST);
    assertThat(answer(calling)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void caller_that_waits_for_a_page_keeps_its_connection() throws Exception {
    Socket waiting = open();
    waiting
        .getOutputStream()
        .write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    RoutingContext page = held.take();
    for (int round = 0; round < 2; round++) {
      openIdle(MOST); // of more, the last ones may be closed before their turn
      assertThat(ask(open())).as("all were accepted").startsWith("HTTP/1.1 200 ");
    }
    HttpAnswer.text("text/plain", "late").send(page);
    assertThat(answer(waiting)).startsWith("HTTP/1.1 200 ");
  }

  /// Callers that wait for answers cannot keep kube-scheduler's next connection out.
  @Test
  void new_connection_is_served_while_all_others_wait() throws Exception {
    Socket longest = open();
    for (int i = 0; i < MOST; i++) {
      Socket waiting = i == 0 ? longest : open();
      waiting
          .getOutputStream()
          .write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      held.take();
    }
    assertThat(ask(open())).startsWith("HTTP/1.1 200 ");
    assertThat(longest.getInputStream().read()).as("the end").isNegative();
  }

  /// New connections cannot close each other before their first requests.
  @Test
  void new_connection_has_time_for_its_request_while_all_others_wait() throws Exception {
    for (int i = 0; i < MOST; i++) {
      open()
          .getOutputStream()
          .write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      held.take();
    }
    Socket fresh = open();
    openIdle(MOST / 20);
    assertThat(ask(fresh)).startsWith("HTTP/1.1 200 ");
  }

  /// An extender can be configured for some of the calls only.
  @ParameterizedTest
  @ValueSource(strings = {"filter", "prioritize", "preempt"})
  void caller_that_asked_about_a_pod_outlasts_strangers(String verb) throws IOException {
    Socket known = open();
    String body = HttpFrontScene.args("w0", "\"gpu-1\"");
    String call =
        "POST /scheduler/%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(verb, body.length(), body);
    assertThat(ask(known, call)).startsWith("HTTP/1.1 200 ");
    openIdle(2 * MOST);
    assertThat(ask(known, call)).startsWith("HTTP/1.1 200 ");
  }
}
