package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

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
class LanesTest {
  private static final Duration LONG = Duration.ofSeconds(15);

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());

  private Lanes.Task say(String word) {
    return Lanes.Task.inTurn(() -> done.add(word));
  }

  private static Lanes.Task hold(CountDownLatch until) {
    return Lanes.Task.inTurn(() -> {
      try {
        until.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
  }

  @Test
  void keepsTheOrderOfALane() throws InterruptedException {
    try (Lanes<String> lanes = new Lanes<>("test", 4)) {
      IntStream.range(0, 500).forEach(i -> lanes.add("a", say("" + i)));

      assertThat(lanes.await(LONG)).isTrue();
      assertThat(done).isEqualTo(IntStream.range(0, 500).mapToObj(i -> "" + i).toList());
    }
  }

  @Test
  void oneLaneDoesNotWaitForAnother() throws InterruptedException {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    try (Lanes<String> lanes = new Lanes<>("test", 4)) {
      lanes.add("a", hold(stuck));
      lanes.add("a", say("after a"));
      lanes.add("b", Lanes.Task.inTurn(free::countDown));

      assertThat(free.await(15, TimeUnit.SECONDS)).isTrue();
      assertThat(done).isEmpty();
      stuck.countDown();
      assertThat(lanes.await(LONG)).isTrue();
      assertThat(done).containsExactly("after a");
    }
  }

  @Test
  void neighboursThatMayRunBesideEachOtherDoSoBetweenThoseThatMayNot() throws InterruptedException {
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
    try (Lanes<String> lanes = new Lanes<>("test", 4)) {
      lanes.add("a", hold(ready));
      lanes.add("a", say("before"));
      IntStream.range(0, 3).forEach(i -> lanes.add("a", Lanes.Task.beside("" + i, meet)));
      lanes.add("a", say("after"));
      ready.countDown();

      assertThat(lanes.await(LONG)).isTrue();
      assertThat(done).containsExactly("before", "met", "met", "met", "after");
    }
  }

  @Test
  void onlyTheNewestOfASlotIsDone() throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(1);
    try (Lanes<String> lanes = new Lanes<>("test", 4)) {
      lanes.add("a", hold(ready));
      lanes.add("a", Lanes.Task.newest("show", () -> done.add("old")));
      lanes.add("a", say("between"));
      lanes.add("a", Lanes.Task.newest("show", () -> done.add("new")));
      ready.countDown();

      assertThat(lanes.await(LONG)).isTrue();
      assertThat(done).containsExactly("between", "new");
    }
  }

  @Test
  void noMoreThanAllowedAreUnderWay() throws InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (Lanes<Integer> lanes = new Lanes<>("test", 3)) {
      for (int i = 0; i < 60; i++) {
        lanes.add(
            i % 20,
            Lanes.Task.beside(
                "" + i,
                () -> {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                  LockSupport.parkNanos(200_000);
                  now.decrementAndGet();
                }));
      }
      assertThat(lanes.await(LONG)).isTrue();
      assertThat(most.get()).isBetween(1, 3);
    }
  }

  @Test
  void whoWaitsToTryAgainStandsInNobodysWay() throws InterruptedException {
    AtomicReference<Thread> resting = new AtomicReference<>(Thread.currentThread());
    CountDownLatch begun = new CountDownLatch(1);
    try (Lanes<String> lanes = new Lanes<>("test", 1)) {
      lanes.add(
          "a",
          Lanes.Task.inTurn(() -> {
            resting.set(Thread.currentThread());
            begun.countDown();
            done.add("rested " + lanes.rest(Duration.ofHours(1)));
          }));
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      lanes.add("b", Lanes.Task.inTurn(() -> resting.get().interrupt()));

      assertThat(lanes.await(LONG)).isTrue();
      assertThat(done).containsExactly("rested false");
    }
  }

  @Test
  void failureDoesNotStopTheLane() throws InterruptedException {
    try (Lanes<String> lanes = new Lanes<>("test", 1)) {
      lanes.add(
          "a",
          Lanes.Task.inTurn(() -> {
            throw new IllegalStateException("on purpose");
          }));
      lanes.add(
          "a",
          Lanes.Task.inTurn(() -> {
            throw new StackOverflowError("on purpose");
          }));
      lanes.add("a", say("next"));

      assertThat(lanes.await(LONG)).isTrue();
      assertThat(done).containsExactly("next");
    }
  }

  @Test
  void closedLanesDropWhatWaits() throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(1);
    Lanes<String> lanes = new Lanes<>("test", 1);
    lanes.add("a", hold(ready));
    lanes.add("a", say("waits"));
    lanes.close();
    lanes.add("a", say("late"));
    ready.countDown();

    assertThat(lanes.await(LONG)).isTrue();
    assertThat(done).isEmpty();
  }
}
