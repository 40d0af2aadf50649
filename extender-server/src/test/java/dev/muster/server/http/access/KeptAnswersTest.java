package dev.muster.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// How long answers are kept.
class KeptAnswersTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private record Answer(long since) {}

  private final AtomicLong now = new AtomicLong(5 * SECOND);
  private final List<Answer> asked = new ArrayList<>();
  private final KeptAnswers<String, Answer> answers =
      new KeptAnswers<>(10, Duration.ofSeconds(30), Answer::since, now::get);

  /// Asks for an answer with this age.
  private Answer ask(Duration age) throws InterruptedException {
    return answers.get(
        "question",
        () -> {
          asked.add(new Answer(now.get() - age.toNanos()));
          return asked.getLast();
        });
  }

  @Test
  void answer_is_kept_for_its_time() throws InterruptedException {
    ask(Duration.ZERO);
    now.addAndGet(29 * SECOND);
    ask(Duration.ZERO);
    assertThat(asked).hasSize(1);
  }

  @Test
  void answer_is_asked_again_after_its_time() throws InterruptedException {
    ask(Duration.ZERO);
    now.addAndGet(30 * SECOND);
    ask(Duration.ZERO);
    assertThat(asked).hasSize(2);
  }

  @Test
  void answer_that_is_computed_from_an_old_one_is_kept_for_the_rest() throws InterruptedException {
    ask(Duration.ofSeconds(20));
    now.addAndGet(10 * SECOND);
    ask(Duration.ZERO);
    assertThat(asked).hasSize(2);
  }

  @Test
  void answer_from_an_outdated_one_is_not_kept() throws InterruptedException {
    ask(Duration.ofSeconds(31));
    ask(Duration.ZERO);
    assertThat(asked).hasSize(2);
  }
}
