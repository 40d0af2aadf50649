package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ReadPauseTest {
  private static final int BODY = 1_000_000;
  private static final int ONE_READ = 1 << 16; // of Netty at most
  private static final long PAUSE_MILLIS = 200;

  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger read = new AtomicInteger();
  private final CompletableFuture<Integer> readInPause = new CompletableFuture<>();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private void count(HttpConnection connection) {
    ((HttpServerConnection) connection)
        .channelHandlerContext()
        .pipeline()
        .addFirst(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                read.addAndGet(((ByteBuf) message).readableBytes());
                context.fireChannelRead(message);
              }
            });
  }

  private void pause(HttpServerRequest request) {
    ReadPause.begin(request);
    int before = read.get();
    vertx.setTimer(
        PAUSE_MILLIS,
        _ -> {
          readInPause.complete(read.get() - before);
          ReadPause.end(request);
        });
    request.body().onSuccess(body -> request.response().end("read " + body.length()));
  }

  @Test
  void body_is_not_read_in_a_pause_and_whole_after_it() throws Exception {
    int port =
        vertx
            .createHttpServer()
            .connectionHandler(this::count)
            .requestHandler(this::pause)
            .listen(0, "127.0.0.1")
            .await()
            .actualPort();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String head =
          "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
              .formatted(BODY);
      socket.getOutputStream().write((head + " ".repeat(BODY)).getBytes(US_ASCII));

      assertThat(readInPause.get(10, TimeUnit.SECONDS)).isLessThanOrEqualTo(ONE_READ);
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .contains("read " + BODY);
    }
  }
}
