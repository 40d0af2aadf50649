package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FlowControlTest {
  private static final int BODY = 1_000_000;
  private static final long PAUSE_MILLIS = 200;
  private static final int FLOOD = 6_000_000; // bytes

  private final AtomicInteger read = new AtomicInteger();
  private final TappedServer server =
      new TappedServer().read(bytes -> read.addAndGet(((ByteBuf) bytes).readableBytes()));
  private final CompletableFuture<Integer> readInPause = new CompletableFuture<>();
  private final CompletableFuture<Integer> readBeforeAnswer = new CompletableFuture<>();

  @AfterEach
  void close() {
    server.close();
  }

  private void pause(HttpServerRequest request) {
    FlowControl.pause(request);
    int before = read.get();
    server
        .vertx()
        .setTimer(
            PAUSE_MILLIS,
            _ -> {
              readInPause.complete(read.get() - before);
              FlowControl.resume(request);
            });
  }

  private void answer(HttpServerRequest request) {
    pause(request);
    request.body().onSuccess(body -> request.response().end("read " + body.length()));
  }

  /// Leaves the first request without answer for a while.
  private void answerLate(HttpServerRequest request) {
    pause(request);
    server.vertx().setTimer(3 * PAUSE_MILLIS, _ -> readBeforeAnswer.complete(read.get()));
  }

  @Test
  void body_is_not_read_in_a_pause_and_whole_after_it() throws Exception {
    try (Socket socket = server.connect(this::answer)) {
      String head =
          "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
              .formatted(BODY);
      socket.getOutputStream().write((head + " ".repeat(BODY)).getBytes(US_ASCII));

      assertThat(readInPause.get(10, TimeUnit.SECONDS)).isLessThanOrEqualTo(FlowControl.LARGE);
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .contains("read " + BODY);
    }
  }

  /// Vert.x stops to read while the first request has no answer. A pause must not undo that.
  @Test
  void flood_behind_a_request_is_not_read_after_its_pause() throws Exception {
    Thread flood;
    try (Socket socket = server.connect(this::answerLate)) {
      flood = Thread.ofVirtual().start(() -> flood(socket));

      assertThat(readBeforeAnswer.get(10, TimeUnit.SECONDS)).isLessThan(FLOOD / 6);
    }
    flood.join();
  }

  /// Sends a request, and another one with very many chunks.
  private static void flood(Socket socket) {
    String head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    try {
      OutputStream out = socket.getOutputStream();
      out.write((head + "1\r\nx\r\n0\r\n\r\n" + head).getBytes(US_ASCII));
      for (int i = 0; i < FLOOD / 6_000; i++) {
        out.write("1\r\nx\r\n".repeat(1_000).getBytes(US_ASCII));
      }
    } catch (IOException _) {
      // closed at the end
    }
  }
}
