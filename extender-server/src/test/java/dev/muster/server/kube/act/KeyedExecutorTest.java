package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.fair.FairSemaphore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class KeyedExecutorTest {
  private static final Duration LONG = Duration.ofSeconds(15);

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());

  private KeyedExecutor.Task say(String word) {
    return KeyedExecutor.Task.inTurn(() -> done.add(word));
  }

  private static KeyedExecutor.Task hold(CountDownLatch until) {
    return KeyedExecutor.Task.inTurn(() -> {
      try {
        until.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
  }

  @Test
  void keeps_the_order_of_a_lane() throws InterruptedException {
    try (KeyedExecutor<String> executor = new KeyedExecutor<>("test", 4, _ -> "ml")) {
      IntStream.range(0, 500).forEach(i -> executor.add("a", say("" + i)));

      assertThat(executor.await(LONG)).isTrue();
      assertThat(done).isEqualTo(IntStream.range(0, 500).mapToObj(i -> "" + i).toList());
    }
  }

  @Test
  void one_lane_does_not_wait_for_another() throws InterruptedException {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    try (KeyedExecutor<String> executor = new KeyedExecutor<>("test", 4, _ -> "ml")) {
      executor.add("a", hold(stuck));
      executor.add("a", say("after a"));
      executor.add("b", KeyedExecutor.Task.inTurn(free::countDown));

      assertThat(free.await(15, TimeUnit.SECONDS)).isTrue();
      assertThat(done).isEmpty();
      stuck.countDown();
      assertThat(executor.await(LONG)).isTrue();
      assertThat(done).containsExactly("after a");
    }
  }

  @Test
  void compatible_neighbours_of_a_lane_run_concurrently() throws InterruptedException {
    CyclicBarrier all = new CyclicBarrier(3);
    Runnable meet =
        () -> {
          try {
            all.await(15, TimeUnit.SECONDS);
            done.add("met");
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        };
    CountDownLatch ready = new CountDownLatch(1);
    try (KeyedExecutor<String> executor = new KeyedExecutor<>("test", 6, _ -> "ml")) {
      executor.add("a", hold(ready));
      executor.add("a", say("before"));
      IntStream.range(0, 3)
          .forEach(i -> executor.add("a", KeyedExecutor.Task.beside("" + i, meet)));
      executor.add("a", say("after"));
      ready.countDown();

      assertThat(executor.await(LONG)).isTrue();
      assertThat(done).containsExactly("before", "met", "met", "met", "after");
    }
  }

  @Test
  void only_the_newest_task_of_a_slot_runs() throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(1);
    try (KeyedExecutor<String> executor = new KeyedExecutor<>("test", 4, _ -> "ml")) {
      executor.add("a", hold(ready));
      executor.add("a", KeyedExecutor.Task.newest("show", () -> done.add("old")));
      executor.add("a", say("between"));
      executor.add("a", KeyedExecutor.Task.newest("show", () -> done.add("new")));
      ready.countDown();

      assertThat(executor.await(LONG)).isTrue();
      assertThat(done).containsExactly("between", "new");
    }
  }

  @Test
  void concurrency_is_limited() throws InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (KeyedExecutor<Integer> executor = new KeyedExecutor<>("test", 3, _ -> "ml")) {
      for (int i = 0; i < 60; i++) {
        executor.add(
            i % 20,
            KeyedExecutor.Task.beside(
                "" + i,
                () -> {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                  LockSupport.parkNanos(200_000);
                  now.decrementAndGet();
                }));
      }
      assertThat(executor.await(LONG)).isTrue();
      assertThat(most.get()).isBetween(1, 3);
    }
  }

  @Test
  void slow_tasks_of_one_namespace_leave_others_their_turn() throws InterruptedException {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    try (KeyedExecutor<String> executor =
        new KeyedExecutor<>("test", 4, key -> key.split("/", -1)[0])) {
      for (int i = 0; i < 20; i++) {
        executor.add("slow/" + i, hold(stuck));
      }
      executor.add("other/a", KeyedExecutor.Task.inTurn(free::countDown));

      assertThat(free.await(15, TimeUnit.SECONDS)).isTrue();
      stuck.countDown();
      assertThat(executor.await(LONG)).isTrue();
    }
  }

  @Test
  void flood_of_one_namespace_delays_another_by_one_task() throws InterruptedException {
    FairSemaphore permits = new FairSemaphore(1);
    try (KeyedExecutor<String> executor =
        new KeyedExecutor<>("test", permits, key -> key.split("/", -1)[0])) {
      permits.acquireUninterruptibly("flood");
      for (int i = 0; i < 20; i++) {
        executor.add("flood/" + i, say("flood"));
      }
      await().until(() -> permits.waiting() == 20);
      executor.add("other/a", say("other"));
      await().until(() -> permits.waiting() == 21);
      permits.release("flood");

      assertThat(executor.await(LONG)).isTrue();
      assertThat(done.indexOf("other")).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void waiting_retry_blocks_no_other_lane() throws InterruptedException {
    AtomicReference<Thread> resting = new AtomicReference<>(Thread.currentThread());
    CountDownLatch begun = new CountDownLatch(1);
    try (KeyedExecutor<String> executor = new KeyedExecutor<>("test", 1, _ -> "ml")) {
      executor.add(
          "a",
          KeyedExecutor.Task.inTurn(() -> {
            resting.set(Thread.currentThread());
            begun.countDown();
            done.add("rested " + executor.rest(Duration.ofHours(1)));
          }));
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      executor.add("b", KeyedExecutor.Task.inTurn(() -> resting.get().interrupt()));

      assertThat(executor.await(LONG)).isTrue();
      assertThat(done).containsExactly("rested false");
    }
  }

  @Test
  void failure_does_not_stop_the_lane() throws InterruptedException {
    try (KeyedExecutor<String> executor = new KeyedExecutor<>("test", 1, _ -> "ml")) {
      executor.add(
          "a",
          KeyedExecutor.Task.inTurn(() -> {
            throw new IllegalStateException("on purpose");
          }));
      executor.add(
          "a",
          KeyedExecutor.Task.inTurn(() -> {
            throw new StackOverflowError("on purpose");
          }));
      executor.add("a", say("next"));

      assertThat(executor.await(LONG)).isTrue();
      assertThat(done).containsExactly("next");
    }
  }

  @Test
  void closed_executor_drops_waiting_tasks() throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(1);
    KeyedExecutor<String> executor = new KeyedExecutor<>("test", 1, _ -> "ml");
    executor.add("a", hold(ready));
    executor.add("a", say("waits"));
    executor.close();
    executor.add("a", say("late"));
    ready.countDown();

    assertThat(executor.await(LONG)).isTrue();
    assertThat(done).isEmpty();
  }

  /// The time limit of this class is too short for a search among the waiting tasks.
  @Test
  void cost_of_a_task_does_not_grow_with_its_lane() {
    CountDownLatch ready = new CountDownLatch(1);
    try (KeyedExecutor<String> executor = new KeyedExecutor<>("test", 4, _ -> "ml")) {
      executor.add("a", hold(ready));
      IntStream.range(0, 200_000)
          .forEach(i -> executor.add("a", KeyedExecutor.Task.beside("slot" + i, () -> {})));

      assertThat(executor.isBusy()).isTrue();
    }
    ready.countDown();
  }
}
