package dev.muster.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// When the turn of a review is free again: turns are kept until the test gives them back.
class ReviewPaceTest {
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger asked = new AtomicInteger();
  private final List<Duration> delays = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Runnable> kept = new LinkedBlockingQueue<>();
  private Duration takes = Duration.ZERO; // of each review
  private final AccessReviews reviews =
      new AccessReviews(
          this::post,
          nanos::get,
          (after, work) -> {
            delays.add(after);
            kept.add(work);
          });

  private ApiCalls.Answer post(String path, ObjectNode review) {
    asked.incrementAndGet();
    nanos.addAndGet(takes.toNanos());
    return new ApiCalls.Answer(
        201,
        "{\"kind\":\"%s\",\"status\":{\"allowed\":true}}".formatted(review.path("kind").asText()));
  }

  private boolean mayList(int user) throws InterruptedException {
    return reviews
        .mayListNodes("10.0.0.1", JsonBodies.object().put("user", "user-" + user))
        .answer();
  }

  /// Eight turns of 8 ms each: 1,000 reviews of rights a second.
  @Test
  void eight_turns_of_rights_take_eight_milliseconds_each() throws InterruptedException {
    for (int i = 0; i < 8; i++) {
      assertThat(mayList(i)).isTrue();
    }
    assertThat(delays).hasSize(8).containsOnly(Duration.ofMillis(8));
  }

  @Test
  void ninth_review_of_rights_waits_for_a_turn_to_end() throws InterruptedException {
    for (int i = 0; i < 8; i++) {
      assertThat(mayList(i)).isTrue();
    }
    Thread ninth =
        Thread.startVirtualThread(() -> {
          try {
            mayList(8);
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
        });
    await().until(() -> ninth.getState().equals(Thread.State.WAITING));
    assertThat(asked).hasValue(8);

    kept.remove().run();
    ninth.join();
    assertThat(asked).hasValue(9);
  }

  @Test
  void time_of_the_review_counts() throws InterruptedException {
    takes = Duration.ofMillis(3);
    assertThat(mayList(0)).isTrue();

    assertThat(delays).containsExactly(Duration.ofMillis(5));
  }

  @Test
  void review_longer_than_its_turn_delays_the_next_one_no_further() throws InterruptedException {
    takes = Duration.ofSeconds(1);
    assertThat(mayList(0)).isTrue();

    assertThat(delays).allMatch(Duration::isNegative);
  }

  @Test
  void four_turns_of_tokens_take_fifty_milliseconds_each() throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      assertThat(reviews.user("10.0.0.1", "token-" + i).answer()).isEmpty();
    }
    assertThat(delays).hasSize(4).containsOnly(Duration.ofMillis(50));
  }
}
