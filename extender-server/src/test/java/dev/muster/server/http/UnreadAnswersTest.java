package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Pages that nobody reads do not fill the memory.
@Timeout(120)
class UnreadAnswersTest extends HttpFrontScene {
  private static final int PAGE = 16 << 20; // bytes
  private static final HttpAnswer LARGE = HttpAnswer.text("text/plain", "x".repeat(PAGE));

  private final List<Socket> opened = new ArrayList<>();

  UnreadAnswersTest() throws IOException {}

  @Override
  HttpFront start() throws IOException {
    return HttpFront.start(
        parts(),
        new ListenOptions("127.0.0.1", 0, MAX_BODY, Optional.empty()),
        router -> router.get("/large").handler(LARGE::send));
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : opened) {
      socket.close();
    }
  }

  /// Asks for the page, and reads the first bytes of the answer.
  private InputStream ask() throws IOException {
    return ask(InetAddress.getLoopbackAddress());
  }

  private InputStream ask(InetAddress from) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port(), from, 0);
    socket.setSoTimeout(8_000); // an unfinished answer has no end
    opened.add(socket);
    socket
        .getOutputStream()
        .write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    InputStream in = socket.getInputStream();
    in.skipNBytes(15);
    return in;
  }

  private static long rest(InputStream in) {
    byte[] part = new byte[1 << 16];
    long rest = 0;
    try {
      for (int read = in.read(part); read >= 0 && rest < PAGE; read = in.read(part)) {
        rest += read;
      }
    } catch (IOException _) {
      return rest; // nothing more comes
    }
    return rest;
  }

  @Test
  void page_that_is_not_read_ends_for_another() throws IOException {
    InputStream first = ask();
    long others = Runtime.getRuntime().maxMemory() / 8 / PAGE + 1;
    InputStream last = first;
    for (int i = 0; i < others; i++) {
      last = ask();
    }
    assertThat(rest(last)).isGreaterThanOrEqualTo(PAGE);
    assertThat(rest(first)).isLessThan(PAGE);
  }

  /// An address that reads nothing ends its own pages only.
  @Test
  @EnabledOnOs(OS.LINUX) // others have one loopback address
  void page_of_another_address_does_not_end() throws IOException {
    InputStream first = ask(InetAddress.getByName("127.0.0.2"));
    long others = Runtime.getRuntime().maxMemory() / 8 / PAGE + 2;
    for (int i = 0; i < others; i++) {
      ask();
    }
    assertThat(rest(first)).isGreaterThanOrEqualTo(PAGE);
  }

  /// A millisecond has room for 256 KiB, so this page needs 64 of them, however quick the machine.
  @Test
  void long_page_leaves_time_for_other_calls() throws Exception {
    get("/large"); // the first connection takes long
    long from = System.nanoTime();
    get("/large");
    assertThat(Duration.ofNanos(System.nanoTime() - from)).isGreaterThan(Duration.ofMillis(60));
  }

  @Test
  void long_page_arrives_unchanged() throws Exception {
    assertThat(get("/large").body()).isEqualTo("x".repeat(PAGE));
  }
}
