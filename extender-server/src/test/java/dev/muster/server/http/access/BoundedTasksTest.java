package dev.muster.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BoundedTasksTest {
  private final List<Thread> threads = new ArrayList<>();

  private BoundedTasks within(Duration limit) {
    return new BoundedTasks(task -> threads.add(Thread.startVirtualThread(task)), 8, limit);
  }

  private final BoundedTasks tasks = within(Duration.ofMinutes(1));

  private static List<Callable<Integer>> numbers(int count) {
    return IntStream.range(0, count).<Callable<Integer>>mapToObj(i -> () -> i).toList();
  }

  @Test
  void thousand_tasks_have_eight_threads_and_results_in_their_order() throws Exception {
    assertThat(tasks.results(numbers(1_000))).isEqualTo(IntStream.range(0, 1_000).boxed().toList());
    assertThat(threads).hasSize(8);
  }

  @Test
  void few_tasks_have_a_thread_each() throws Exception {
    tasks.results(numbers(3));

    assertThat(threads).hasSize(3);
  }

  @Test
  void failure_of_a_task_is_that_of_all() {
    Callable<Integer> failing =
        () -> {
          throw new AccessReviews.NoReview("It fails.");
        };

    assertThatThrownBy(() -> tasks.results(List.of(() -> 1, failing)))
        .isInstanceOf(AccessReviews.NoReview.class);
  }

  @Test
  void tasks_that_take_too_long_end() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean begun = new AtomicBoolean();
    List<Callable<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      waiting.add(() -> never.await(1, java.util.concurrent.TimeUnit.MINUTES));
    }
    waiting.add(() -> begun.getAndSet(true));

    assertThatThrownBy(() -> within(Duration.ofMillis(1)).results(waiting))
        .isInstanceOf(TimeoutException.class);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(begun).isFalse();
  }
}
