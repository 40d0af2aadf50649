package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// One event loop writes so much of large answers in a millisecond, and the rest in turn.
class WritePaceTest {
  private static final int PIECE = 1 << 16;

  private final AtomicLong nanos = new AtomicLong();

  @Test
  void millisecond_has_room_for_four_pieces() {
    WritePace pace = new WritePace(nanos::get);
    assertThat(IntStream.range(0, 6).filter(_ -> pace.take(PIECE))).hasSize(4);
  }

  @Test
  void next_millisecond_has_room_again() {
    WritePace pace = new WritePace(nanos::get);
    while (pace.take(PIECE)) {
      // until it is full
    }
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(pace.take(PIECE)).isTrue();
  }

  @Test
  void work_that_waits_runs_in_the_order_of_arrival() throws Exception {
    Vertx vertx = Vertx.vertx();
    Context loop = vertx.getOrCreateContext();
    List<Integer> ran = new ArrayList<>();
    CompletableFuture<List<Integer>> done = new CompletableFuture<>();
    loop.runOnContext(_ -> {
      WritePace pace = new WritePace();
      for (int i = 0; i < 20; i++) {
        int number = i;
        pace.later(
            vertx,
            () -> {
              while (pace.take(PIECE)) {
                // it takes the rest of its millisecond
              }
              ran.add(number);
              if (number == 19) {
                done.complete(ran);
              }
            });
      }
    });
    assertThat(done.get(30, TimeUnit.SECONDS)).isSorted().hasSize(20);
    vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
