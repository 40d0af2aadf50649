package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.fair.CallPace;
import dev.muster.server.kube.client.Retries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class NoticeQueueTest {
  private static final Duration LONG = Duration.ofSeconds(25);

  private final List<String> shown = Collections.synchronizedList(new ArrayList<>());
  private final AtomicBoolean starting = new AtomicBoolean();
  private final Retries retries = new Retries(List.of(Duration.ofMillis(1), Duration.ofMillis(2)));
  private final NoticeQueue notices =
      new NoticeQueue(starting::get, Duration.ofHours(1), LONG, retries);
  private final NoticeQueue brisk =
      new NoticeQueue(starting::get, Duration.ZERO, Duration.ofMillis(300), retries);

  @AfterEach
  void close() {
    notices.close();
    brisk.close();
  }

  private static void hold(CountDownLatch entered, CountDownLatch until) {
    entered.countDown();
    try {
      until.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean counted(CountDownLatch latch) {
    latch.countDown();
    return true;
  }

  @Test
  void notice_is_shown_without_polling() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    brisk.add("ml", "a", () -> counted(done));

    assertThat(done.await(25, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void pace_of_a_namespace_delays_no_other() throws InterruptedException {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    var pace = new CallPace(1, Duration.ofHours(1));
    try (var paced = new NoticeQueue(starting::get, Duration.ZERO, Duration.ZERO, retries, pace)) {
      paced.add("ml", "a", () -> counted(first));
      assertThat(first.await(25, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 20; i++) {
        paced.add("ml", "b" + i, () -> shown.add("too early"));
      }
      paced.add("other", "c", () -> counted(other));

      assertThat(other.await(25, TimeUnit.SECONDS)).isTrue();
      assertThat(shown).isEmpty();
    }
  }

  @Test
  void each_call_of_a_notice_counts_for_the_pace() throws InterruptedException {
    CountDownLatch passed = new CountDownLatch(1);
    var pace = new CallPace(2, Duration.ofHours(1));
    try (var paced = new NoticeQueue(starting::get, Duration.ZERO, Duration.ZERO, retries, pace)) {
      paced.add(
          "ml",
          "a",
          () -> {
            paced.pass();
            passed.countDown();
            paced.pass();
            return shown.add("too early");
          });

      assertThat(passed.await(25, TimeUnit.SECONDS)).isTrue();
      assertThat(paced.await(Duration.ofMillis(50))).isFalse();
      assertThat(shown).isEmpty();
    }
  }

  @Test
  void newest_notice_keeps_the_position_of_the_first() throws InterruptedException {
    notices.add("ml", "a", () -> shown.add("a seen"));
    notices.add("ml", "b", () -> shown.add("b"));
    notices.add("ml", "a", () -> shown.add("a bound"));

    assertThat(notices.await(LONG)).isTrue();
    assertThat(shown).containsExactlyInAnyOrder("a bound", "b");
  }

  @Test
  void notices_yield_to_starting_gangs_for_a_limited_time() throws InterruptedException {
    starting.set(true);
    CountDownLatch done = new CountDownLatch(1);
    long added = System.nanoTime();
    brisk.add("ml", "a", () -> counted(done));

    assertThat(done.await(25, TimeUnit.SECONDS)).isTrue();
    assertThat(System.nanoTime() - added).isGreaterThanOrEqualTo(300_000_000);
  }

  @Test
  void newer_notice_waits_for_the_one_in_progress() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    brisk.add(
        "ml",
        "a",
        () -> {
          hold(entered, held);
          return shown.add("old");
        });
    assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
    brisk.add("ml", "a", () -> shown.add("new"));
    brisk.add("ml", "b", () -> counted(held));

    assertThat(brisk.await(LONG)).isTrue();
    assertThat(shown).containsExactly("old", "new");
  }

  @Test
  void concurrency_is_limited() throws InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    IntStream.range(0, 500)
        .forEach(i ->
            notices.add(
                "ml",
                i,
                () -> {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                  LockSupport.parkNanos(200_000);
                  return now.decrementAndGet() >= 0;
                }));

    assertThat(notices.await(LONG)).isTrue();
    assertThat(most.get()).isBetween(1, 8);
  }

  /// The flood has all turns, and makes calls until the other is shown.
  @Test
  void flood_of_a_namespace_delays_another_by_calls_only() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(8);
    AtomicBoolean done = new AtomicBoolean();
    for (int i = 0; i < 50; i++) {
      brisk.add(
          "flood",
          i,
          () -> {
            begun.countDown();
            while (!done.get()) {
              LockSupport.parkNanos(100_000);
              brisk.pass();
            }
            return true;
          });
    }
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    brisk.add(
        "other",
        "a",
        () -> {
          done.set(true);
          return shown.add("other");
        });

    assertThat(brisk.await(LONG)).isTrue();
    assertThat(shown).containsExactly("other");
  }

  @Test
  void flood_of_a_namespace_makes_only_its_own_notices_brief() {
    for (int i = 0; i < 200; i++) {
      notices.add("flood", i, () -> true);
    }
    notices.add("other", "a", () -> true);

    assertThat(notices.isLong("flood")).isTrue();
    assertThat(notices.isLong("other")).isFalse();
  }

  @Test
  void failure_blocks_no_other_notice() throws InterruptedException {
    notices.add(
        "ml",
        "a",
        () -> {
          throw new IllegalStateException("on purpose");
        });
    notices.add("ml", "b", () -> shown.add("b"));

    assertThat(notices.await(LONG)).isTrue();
    assertThat(shown).containsExactly("b");
  }

  @Test
  void failed_notice_is_retried_a_limited_number_of_times() throws InterruptedException {
    notices.add("ml", "a", () -> shown.add("a") && shown.size() >= 2);
    assertThat(notices.await(LONG)).isTrue();
    assertThat(shown).containsExactly("a", "a");

    notices.add("ml", "b", () -> !shown.add("b"));
    assertThat(notices.await(LONG)).isTrue();
    assertThat(shown).containsExactly("a", "a", "b", "b", "b");
  }

  @Test
  void failed_notice_is_replaced_by_a_newer_one() throws InterruptedException {
    notices.add(
        "ml",
        "a",
        () -> {
          notices.add("ml", "a", () -> shown.add("new"));
          return !shown.add("old");
        });

    assertThat(notices.await(LONG)).isTrue();
    assertThat(shown).containsExactly("old", "new");
  }

  @Test
  void closed_queue_drops_waiting_notices() throws InterruptedException {
    notices.add("ml", "a", () -> shown.add("waits"));
    notices.close();
    notices.add("ml", "b", () -> shown.add("late"));

    assertThat(notices.await(LONG)).isTrue();
    assertThat(shown).isEmpty();
  }
}
