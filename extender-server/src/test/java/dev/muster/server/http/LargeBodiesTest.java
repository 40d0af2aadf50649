package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A large first call of a new caller is answered, whatever others announce and do not send.
@Timeout(60)
class LargeBodiesTest extends HttpFrontScene {
  private static final int OTHERS = 24;

  private final AtomicBoolean over = new AtomicBoolean();
  private final List<Thread> others = new ArrayList<>();

  LargeBodiesTest() throws IOException {}

  @AfterEach
  void stop() throws InterruptedException {
    over.set(true);
    for (Thread other : others) {
      other.interrupt();
      other.join();
    }
  }

  /// Announces a body, sends its begin and leaves soon, again and again.
  private void announce(int announced, int sent) {
    byte[] head =
        ("POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                    .formatted(announced)
                + " ".repeat(sent))
            .getBytes(StandardCharsets.US_ASCII);
    while (!over.get()) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
        socket.setSoTimeout(100);
        socket.getOutputStream().write(head);
        socket.getInputStream().skipNBytes(1);
      } catch (IOException _) {
        // no answer, or an end: it comes again
      }
    }
  }

  private HttpResponse<String> call(int announced, int sent) throws Exception {
    for (int i = 0; i < OTHERS; i++) {
      others.add(Thread.startVirtualThread(() -> announce(announced, sent)));
    }
    String names =
        IntStream.range(0, 8_000)
            .mapToObj(i -> "\"node-%05d\"".formatted(i))
            .collect(Collectors.joining(","));
    return post("/scheduler/filter", args("w0", names));
  }

  @Test
  void silent_bodies_of_other_callers_hold_no_slot() throws Exception {
    assertThat(call(65_537, 1).statusCode()).isEqualTo(200);
  }

  @Test
  void bodies_that_stop_after_a_while_lose_their_slot() throws Exception {
    assertThat(call(100_001, 100_000).statusCode()).isEqualTo(200);
  }

  /// Else eight clients that read nothing would keep all large bodies of strangers out.
  @Test
  void answers_that_are_not_read_hold_no_slot() throws Exception {
    byte[] call = HostileRequests.hostileReview();
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Socket socket = new Socket();
      silent.add(socket);
      socket.setReceiveBufferSize(4_096);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), front.port()));
      socket.getOutputStream().write(call);
      socket.getInputStream().skipNBytes(1); // the answer of megabytes has begun
    }
    assertThat(call(65_537, 1).statusCode()).isEqualTo(200);
    for (Socket socket : silent) {
      socket.close();
    }
  }
}
