package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.vertx.core.http.HttpServerRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is read of a connection at once depends on what it sends.
@Timeout(30)
class ReadSizeTest {
  private static final String SMALL_REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final int BODY = 200_000;

  private final List<Integer> reads = new CopyOnWriteArrayList<>();
  private final TappedServer server =
      new TappedServer().read(bytes -> reads.add(((ByteBuf) bytes).readableBytes()));

  @AfterEach
  void close() {
    server.close();
  }

  private static void answer(HttpServerRequest request) {
    request.endHandler(_ -> request.response().end());
  }

  /// Sends all at once, and returns when every request has its answer.
  private void send(String text, int requests) throws IOException {
    try (Socket socket = server.connect(ReadSizeTest::answer)) {
      socket.getOutputStream().write(text.getBytes(US_ASCII));
      socket.getOutputStream().flush();
      var answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
      assertThat(answers.lines().filter("HTTP/1.1 200 OK"::equals).limit(requests))
          .hasSize(requests);
    }
  }

  private static String large() {
    return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".formatted(BODY)
        + "x".repeat(BODY);
  }

  @Test
  void little_is_read_of_small_requests() throws IOException {
    send(SMALL_REQUEST.repeat(1_000), 1_000);
    assertThat(reads).hasSizeGreaterThan(10).allMatch(read -> read <= FlowControl.SMALL);
  }

  @Test
  void more_is_read_of_a_body_of_known_length() throws IOException {
    send(large(), 1);
    assertThat(reads)
        .anyMatch(read -> read > FlowControl.SMALL)
        .allMatch(read -> read <= FlowControl.LARGE);
  }

  @Test
  void little_is_read_again_after_a_large_body() throws IOException {
    send(large() + SMALL_REQUEST.repeat(2_000), 2_001);
    assertThat(reads.subList(reads.size() - 10, reads.size()))
        .allMatch(read -> read <= FlowControl.SMALL);
  }

  @Test
  void little_is_read_of_chunks() throws IOException {
    String chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    send(chunked + "1\r\nx\r\n".repeat(5_000) + "0\r\n\r\n", 1);
    assertThat(reads).hasSizeGreaterThan(10).allMatch(read -> read <= FlowControl.SMALL);
  }

  /// The size is chosen before the handshake.
  @Test
  void little_is_read_of_records_of_tls(@TempDir Path folder) throws Exception {
    server.secure(folder);
    send(SMALL_REQUEST.repeat(1_000), 1_000);
    assertThat(reads).hasSizeGreaterThan(10).allMatch(read -> read <= FlowControl.SMALL);
  }
}
