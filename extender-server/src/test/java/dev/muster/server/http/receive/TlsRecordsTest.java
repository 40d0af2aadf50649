package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class TlsRecordsTest {
  private static final String HEAD = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final long PAUSE_MILLIS = 200;

  /// Application data of 995 bytes.
  private static final byte[] RECORD_HEAD = {23, 3, 3, 3, (byte) 0xe3};

  private static final int BODY = 1_000_000;

  private final AtomicInteger requests = new AtomicInteger();
  private final CompletableFuture<Integer> ahead = new CompletableFuture<>();
  private final TappedServer server = new TappedServer().decoded(this::count);

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void secure() throws Exception {
    server.secure(folder);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void count(Object message) {
    if (message instanceof HttpRequest) {
      requests.incrementAndGet();
    }
  }

  private void answerNever(HttpServerRequest request) {
    server.vertx().setTimer(PAUSE_MILLIS, _ -> ahead.complete(requests.get()));
  }

  private static void answer(HttpServerRequest request) {
    request.body().onSuccess(body -> request.response().end("read " + body.length() + "."));
  }

  private static void send(SSLSocket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  @Test
  void requests_of_one_record_are_decoded_a_portion_at_a_time() throws Exception {
    try (SSLSocket socket = (SSLSocket) server.connect(this::answerNever)) {
      send(socket, HEAD.repeat(FlowControl.LARGE / HEAD.length()));

      assertThat(ahead.get(10, TimeUnit.SECONDS))
          .isBetween(1, FlowControl.SMALL / HEAD.length() + 1);
    }
  }

  @Test
  void long_body_is_whole() throws Exception {
    try (SSLSocket socket = (SSLSocket) server.connect(TlsRecordsTest::answer)) {
      send(
          socket,
          "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
              .formatted(BODY));
      send(socket, " ".repeat(BODY));

      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .contains("read " + BODY + ".");
    }
  }

  @Test
  void client_may_change_its_key() throws Exception {
    try (SSLSocket socket = (SSLSocket) server.connect(TlsRecordsTest::answer)) {
      socket.startHandshake();
      socket.startHandshake(); // asks for a new key (JDK 11 and newer)
      send(socket, HEAD.replace("Host: x", "Host: x\r\nConnection: close"));

      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII)).contains("read 0.");
    }
  }

  /// The answers would need memory without limit while the client does not read them.
  @Test
  void client_that_changes_keys_without_end_is_closed() throws Exception {
    try (SSLSocket socket = (SSLSocket) server.connect(TlsRecordsTest::answer)) {
      assertThat(
              isClosed(
                  socket,
                  () -> {
                    for (int i = 0; i < 10 * TlsRecords.MOST_ANSWERS; i++) {
                      socket.startHandshake();
                    }
                  }))
          .isTrue();
    }
  }

  /// Netty keeps all that comes then.
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void client_that_sends_on_after_the_end_of_tls_is_closed(String version) throws Exception {
    try (Socket below = new Socket();
        SSLSocket socket = server.connect(TlsRecordsTest::answer, below)) {
      socket.setEnabledProtocols(new String[] {version});
      socket.startHandshake();
      socket.shutdownOutput();
      byte[] record = new byte[1_000];
      System.arraycopy(RECORD_HEAD, 0, record, 0, RECORD_HEAD.length);

      assertThat(
              isClosed(
                  below,
                  () -> {
                    for (int i = 0; i < TlsRecords.MOST_SILENT / 100; i++) {
                      below.getOutputStream().write(record);
                    }
                  }))
          .isTrue();
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static boolean isClosed(Socket socket, Work work) throws IOException {
    socket.setSoTimeout(5_000);
    try {
      work.run();
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      return true;
    } catch (SocketTimeoutException _) {
      return false;
    } catch (IOException _) {
      return true;
    }
  }
}
