package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class UnpooledBodiesTest {
  private static final String HEAD =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";

  private final List<ByteBuf> parts = new CopyOnWriteArrayList<>();
  private final CompletableFuture<HttpConnection> asked = new CompletableFuture<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private final TappedServer server =
      new TappedServer()
          .decoded(this::keep)
          .opened(connection -> connection.closeHandler(_ -> closed.complete(parts.size())));

  @AfterEach
  void close() {
    server.close();
  }

  private void keep(Object message) {
    if (message instanceof HttpContent content) {
      parts.add(content.content());
    }
  }

  private void ask(HttpServerRequest request) {
    request.pause();
    asked.complete(request.connection());
  }

  /// Else each such connection would use up memory for good.
  @Test
  void parts_that_are_not_read_return_to_the_pool_when_the_connection_closes() throws Exception {
    try (Socket socket = server.connect(this::ask)) {
      socket.getOutputStream().write(HEAD.getBytes(US_ASCII));
      HttpConnection connection = asked.get(10, TimeUnit.SECONDS);
      while (parts.size() < 20) {
        socket.getOutputStream().write(" ".repeat(1_000).getBytes(US_ASCII));
        Thread.sleep(1);
      }
      connection.close();

      assertThat(closed.get(10, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(20);
    }
    assertThat(parts).allMatch(part -> part.refCnt() == 0);
  }
}
