package dev.muster.server.http.receive;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ReadTurnsTest {
  private static final int MANY = 100;
  private static final byte[] REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII);

  private final DefaultEventLoop loop = new DefaultEventLoop();
  private final ReadTurns turns = new ReadTurns();
  private final List<String> taken = new ArrayList<>(); // used on the loop
  private final CountDownLatch left = new CountDownLatch(MANY + 1);

  @AfterEach
  void close() {
    var _ = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  private void add(String address) {
    turns.add(
        loop,
        address,
        () -> {
          taken.add(address);
          left.countDown();
        });
  }

  private static void neverEnd(HttpConnection connection) {
    EventExecutor loop = ((HttpServerConnection) connection).channelHandlerContext().executor();
    addWithoutEnd(new ReadTurns(), loop);
  }

  private static void addWithoutEnd(ReadTurns turns, EventExecutor loop) {
    turns.add(loop, "a", () -> addWithoutEnd(turns, loop));
  }

  private static void answerWithoutEnd(Executor thread) {
    thread.execute(() -> answerWithoutEnd(thread));
  }

  private static void assertAnswers(Socket socket) throws IOException {
    for (int i = 0; i < MANY; i++) {
      socket.getOutputStream().write(REQUEST);
      assertThat(socket.getInputStream().read(new byte[1_000])).isPositive();
    }
  }

  @Test
  void address_with_one_turn_does_not_wait_for_all_of_another() throws Exception {
    loop.execute(() -> {
      for (int i = 0; i < MANY; i++) {
        add("a");
      }
      add("b");
    });

    assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(loop.submit(() -> taken.indexOf("b")).get(10, TimeUnit.SECONDS)).isLessThan(2);
  }

  /// A loop does all its work that is ready before it reads, for up to a second.
  @Test
  void loop_reads_between_turns_that_never_end() throws Exception {
    try (TappedServer server = new TappedServer().opened(ReadTurnsTest::neverEnd);
        Socket socket = server.connect(request -> request.response().end())) {
      assertAnswers(socket);
    }
  }

  /// Answers that are made on other threads come to the loop when they are ready, many at a time.
  @Test
  void loop_reads_between_answers_that_never_end() throws Exception {
    AtomicBoolean begun = new AtomicBoolean();
    try (TappedServer server = new TappedServer();
        Socket socket =
            server.connect(request -> {
              if (begun.compareAndSet(false, true)) {
                answerWithoutEnd(FlowControl.thread(request));
              }
              request.response().end();
            })) {
      assertAnswers(socket);
    }
  }
}
