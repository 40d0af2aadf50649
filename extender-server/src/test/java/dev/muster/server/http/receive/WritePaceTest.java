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
            "10.0.0.1",
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

  /// A thousand answers to one address delay an answer to another by one turn.
  @Test
  void addresses_take_turns() throws Exception {
    Vertx vertx = Vertx.vertx();
    Context loop = vertx.getOrCreateContext();
    List<String> ran = new ArrayList<>();
    CompletableFuture<List<String>> done = new CompletableFuture<>();
    loop.runOnContext(_ -> {
      WritePace pace = new WritePace();
      for (int i = 0; i < 1_000; i++) {
        pace.later(vertx, "10.0.0.1", () -> ran.add("flood"));
      }
      pace.later(
          vertx,
          "10.0.0.2",
          () -> {
            ran.add("other");
            done.complete(List.copyOf(ran));
          });
    });
    assertThat(done.get(30, TimeUnit.SECONDS)).hasSizeLessThanOrEqualTo(2);
    vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  /// Else each new request would be answered before those that wait.
  @Test
  void piece_waits_while_others_are_in_line() throws Exception {
    Vertx vertx = Vertx.vertx();
    CompletableFuture<Boolean> taken = new CompletableFuture<>();
    vertx
        .getOrCreateContext()
        .runOnContext(_ -> {
          WritePace pace = new WritePace();
          pace.later(vertx, "10.0.0.1", () -> {});
          taken.complete(pace.take(PIECE));
        });
    assertThat(taken.get(30, TimeUnit.SECONDS)).isFalse();
    vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
