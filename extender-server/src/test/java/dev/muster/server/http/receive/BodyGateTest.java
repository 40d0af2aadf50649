package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.HttpServerConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BodyGateTest {
  private static final String HEAD =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";

  private final Vertx vertx = Vertx.vertx();
  private final List<ByteBuf> parts = new CopyOnWriteArrayList<>();
  private final CompletableFuture<HttpConnection> asked = new CompletableFuture<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private int listen() {
    HttpServer server =
        vertx
            .createHttpServer(
                new HttpServerOptions() // as HttpFront has them
                    .setHttp2ClearTextEnabled(false)
                    .setPerFrameWebSocketCompressionSupported(false)
                    .setPerMessageWebSocketCompressionSupported(false))
            .connectionHandler(connection -> {
              observe(connection);
              BodyGate.use(connection);
              connection.closeHandler(_ -> closed.complete(parts.size()));
            })
            .requestHandler(request -> {
              request.pause();
              asked.complete(request.connection());
            });
    return server.listen(0, "127.0.0.1").await().actualPort();
  }

  private void observe(HttpConnection connection) {
    ChannelHandlerContext last = ((HttpServerConnection) connection).channelHandlerContext();
    last.pipeline()
        .addBefore(
            last.name(),
            null,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                if (message instanceof HttpContent content) {
                  parts.add(content.content());
                }
                context.fireChannelRead(message);
              }
            });
  }

  /// Else each such connection would use up memory for good.
  @Test
  void parts_that_are_not_read_return_to_the_pool_when_the_connection_closes() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listen())) {
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
