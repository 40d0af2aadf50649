package dev.muster.server.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FairSemaphoreTest {
  private static final String FLOOD = "10.0.0.1";
  private static final String OTHER = "10.0.0.2";

  private FairSemaphore semaphore = new FairSemaphore(1);
  private final BlockingQueue<String> order = new LinkedBlockingQueue<>();
  private final List<Thread> threads = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
  }

  /// Starts a thread that takes a permit, and returns it when it waits or has the permit.
  private Thread take(String flow) throws InterruptedException {
    Thread taker =
        Thread.ofPlatform()
            .start(() -> {
              try {
                semaphore.acquire(flow);
                order.add(flow);
              } catch (InterruptedException _) {
                order.add("interrupted");
              }
            });
    threads.add(taker);
    while (taker.getState() != Thread.State.WAITING && taker.isAlive()) {
      Thread.sleep(1);
    }
    return taker;
  }

  @Test
  void permit_is_granted_at_once_if_it_is_free() throws InterruptedException {
    take(FLOOD).join();

    assertThat(order).containsExactly(FLOOD);
  }

  @Test
  void released_permit_is_granted_to_a_waiting_thread() throws InterruptedException {
    semaphore.acquire(FLOOD);
    Thread waiting = take(FLOOD);
    assertThat(order).isEmpty();

    semaphore.release(FLOOD);
    waiting.join();

    assertThat(order).containsExactly(FLOOD);
  }

  @Test
  void another_flow_waits_for_one_turn_of_a_flood() throws InterruptedException {
    semaphore.acquire(FLOOD);
    for (int i = 0; i < 3; i++) {
      take(FLOOD);
    }
    take(OTHER);

    List<String> granted = new ArrayList<>(List.of(FLOOD));
    for (int i = 0; i < 3; i++) {
      semaphore.release(granted.getLast());
      granted.add(order.take());
    }

    assertThat(granted).contains(OTHER);
  }

  @Test
  void permits_of_one_flow_are_limited() throws InterruptedException {
    semaphore = new FairSemaphore(3, 2);
    semaphore.acquire(FLOOD);
    semaphore.acquire(FLOOD);
    Thread third = take(FLOOD);
    assertThat(order).isEmpty();
    take(OTHER).join();
    assertThat(order).containsExactly(OTHER);

    semaphore.release(FLOOD);
    third.join();

    assertThat(order).containsExactly(OTHER, FLOOD);
  }

  @Test
  void interrupted_thread_beyond_the_limit_of_its_flow_takes_nothing() throws InterruptedException {
    semaphore = new FairSemaphore(3, 1);
    semaphore.acquire(FLOOD);
    Thread second = take(FLOOD);
    Thread third = take(FLOOD);

    second.interrupt();
    second.join();
    semaphore.release(FLOOD);
    third.join();

    assertThat(order).containsExactly("interrupted", FLOOD);
    assertThat(semaphore.waiting()).isZero();
  }

  @Test
  void interrupted_thread_gives_up_its_turn() throws InterruptedException {
    semaphore.acquire(FLOOD);
    Thread waiting = take(FLOOD);

    waiting.interrupt();
    waiting.join();
    semaphore.release(FLOOD);
    take(OTHER).join();

    assertThat(order).containsExactly("interrupted", OTHER);
  }

  @Test
  void uninterruptible_thread_keeps_its_turn() throws InterruptedException {
    semaphore.acquire(FLOOD);
    Thread waiting =
        Thread.ofPlatform()
            .start(() -> {
              Thread.currentThread().interrupt();
              semaphore.acquireUninterruptibly(FLOOD);
              order.add("interrupted: " + Thread.interrupted());
            });
    semaphore.release(FLOOD);
    waiting.join();

    assertThat(order).containsExactly("interrupted: true");
  }

  @Test
  void interrupted_thread_returns_a_permit_that_it_was_granted() throws InterruptedException {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> semaphore.acquire(FLOOD)).isInstanceOf(InterruptedException.class);

    take(OTHER).join();

    assertThat(order).containsExactly(OTHER);
  }
}
