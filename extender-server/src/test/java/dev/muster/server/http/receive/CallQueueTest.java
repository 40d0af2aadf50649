package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CallQueueTest {
  private final AtomicLong nanos = new AtomicLong();
  private final CallQueue queue = new CallQueue(nanos::get);
  private final List<String> answered = new CopyOnWriteArrayList<>();
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private final Caller stranger = new Caller("10.0.0.1");
  private final Caller other = new Caller("10.0.0.2");
  private final Caller known = new Caller("10.0.0.3");

  @BeforeEach
  void occupy() {
    known.recognize();
    queue.add(known, 0, () -> await(start));
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private List<String> answers() {
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    queue.add(stranger, 1 << 16, end::countDown); // last of its address
    start.countDown();
    await(end);
    return answered;
  }

  @Test
  void small_body_of_a_stranger_precedes_longer_ones() {
    for (int i = 0; i < 100; i++) {
      queue.add(stranger, 60_000, () -> answered.add("longer"));
    }
    queue.add(stranger, 4_000, () -> answered.add("small"));

    assertThat(answers()).startsWith("small").hasSize(101);
  }

  @Test
  void large_body_does_not_delay_a_small_one() {
    queue.add(known, 5_000_000, () -> await(end));
    queue.add(stranger, 4_000, () -> answered.add("small"));

    assertThat(answers()).containsExactly("small");
  }

  /// A page can cost many placement searches.
  @Test
  void page_does_not_delay_a_small_body() {
    queue.addPage(known, () -> await(end));
    queue.add(stranger, 4_000, () -> answered.add("small"));

    assertThat(answers()).containsExactly("small");
  }

  /// One address that sends much delays another by one call.
  @Test
  void call_waits_for_one_of_another_address_at_most() {
    for (int i = 0; i < 100; i++) {
      queue.add(stranger, 4_000, () -> answered.add("flood"));
    }
    queue.add(other, 60_000, () -> answered.add("other"));

    assertThat(answers().indexOf("other")).isLessThan(2);
  }

  @Test
  void page_waits_for_one_of_another_address_at_most() {
    queue.addPage(known, () -> await(start));
    for (int i = 0; i < 100; i++) {
      queue.addPage(stranger, () -> answered.add("flood"));
    }
    queue.addPage(other, () -> answered.add("other"));
    queue.addPage(stranger, end::countDown);
    start.countDown();
    await(end);

    assertThat(answered.indexOf("other")).isLessThan(2);
  }

  /// A page costs the time that its answer takes, whatever the request says.
  @Test
  void address_of_long_pages_gets_as_much_time_as_one_of_short_pages() {
    queue.addPage(known, () -> await(start));
    for (int i = 0; i < 5; i++) {
      queue.addPage(stranger, () -> page("long", 100));
    }
    for (int i = 0; i < 150; i++) {
      queue.addPage(other, () -> page("short", 1));
    }
    queue.addPage(stranger, end::countDown);
    start.countDown();
    await(end);

    assertThat(answered.subList(0, 103)).filteredOn("long"::equals).hasSizeBetween(1, 2);
  }

  private void page(String name, long millis) {
    nanos.addAndGet(Duration.ofMillis(millis).toNanos());
    answered.add(name);
  }

  @Test
  void equal_calls_are_answered_in_their_order() {
    queue.add(stranger, 1, () -> answered.add("first"));
    queue.add(stranger, 1, () -> answered.add("second"));

    assertThat(answers()).containsExactly("first", "second");
  }

  /// A flood of short calls does not keep a long one waiting.
  @Test
  void call_of_a_second_ago_precedes_shorter_ones() {
    queue.add(stranger, 60_000, () -> answered.add("longer"));
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    queue.add(stranger, 1, () -> answered.add("small"));

    assertThat(answers()).containsExactly("longer", "small");
  }

  @Test
  void dropped_call_is_never_answered() {
    Runnable drop = queue.add(stranger, 1, () -> answered.add("dropped"));
    queue.add(stranger, 2, () -> answered.add("kept"));
    drop.run();

    assertThat(answers()).containsExactly("kept");
  }

  /// What drops a call is kept until its answer ends. A caller that reads no answer would else keep
  /// its body.
  @Test
  void work_that_was_done_is_not_kept() {
    Runnable work = new Work(new byte[1]);
    WeakReference<Runnable> kept = new WeakReference<>(work);
    Runnable drop = queue.add(stranger, 4_000, work);
    work = () -> {};
    answers();

    for (int i = 0; i < 100 && kept.get() != null; i++) {
      System.gc();
    }
    assertThat(kept.get()).isNull();
    drop.run();
    work.run();
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Work(byte[] body) implements Runnable {
    @Override
    public void run() {
      body[0]++;
    }
  }
}
