package dev.muster.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the API server is asked, while it keeps all answers back.
class AccessReviewsTest {
  private static final String ADDRESS = "10.0.0.1";

  private String answer = "{\"kind\":\"%s\",\"status\":{\"allowed\":true,\"authenticated\":true}}";
  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final AccessReviews reviews = new AccessReviews(this::post);
  private final List<Thread> threads = new ArrayList<>();

  private ApiCalls.Answer post(String path, ObjectNode review) {
    asked.add(
        review.at("/spec/user").asText() + " " + review.at("/spec/resourceAttributes/namespace"));
    try {
      gate.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return new ApiCalls.Answer(201, answer.formatted(review.path("kind").asText()));
  }

  private static ObjectNode user(String name) {
    return JsonBodies.object().put("user", name);
  }

  /// Starts threads that ask, and returns when all of them wait.
  private void ask(List<? extends Callable<?>> questions) {
    for (Callable<?> question : questions) {
      threads.add(
          Thread.startVirtualThread(() -> {
            try {
              question.call();
            } catch (Exception _) {
              // the test ends
            }
          }));
    }
    await()
        .until(() ->
            threads.stream().allMatch(thread -> thread.getState().equals(Thread.State.WAITING)));
  }

  private void answer() throws InterruptedException {
    gate.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @AfterEach
  void end() {
    threads.forEach(Thread::interrupt);
  }

  private static List<Callable<?>> many(Callable<?> question) {
    return java.util.Collections.nCopies(64, question);
  }

  @Test
  void equal_questions_about_rights_are_asked_once() throws InterruptedException {
    ask(many(() -> reviews.mayListNodes(ADDRESS, user("ann"))));
    answer();

    assertThat(asked).hasSize(1);
  }

  @Test
  void token_of_many_requests_is_reviewed_once() throws InterruptedException {
    ask(many(() -> reviews.user(ADDRESS, "token")));
    answer();

    assertThat(asked).hasSize(1);
  }

  @Test
  void user_with_many_questions_leaves_the_next_turn_to_another_of_its_address()
      throws InterruptedException {
    List<Callable<?>> questions = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      GangScope scope = new GangScope("ns-" + i, "scheduling.x-k8s.io");
      questions.add(() -> reviews.mayListPodGroups(ADDRESS, user("ann"), scope));
    }
    ask(questions);
    ask(List.of(() -> reviews.mayListNodes(ADDRESS, user("bob"))));
    answer();

    assertThat(asked).hasSize(65);
    assertThat(asked.subList(0, 16)).anyMatch(question -> question.startsWith("bob"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<html>Sign in</html>",
        "",
        "{\"kind\":\"Status\",\"status\":{}}",
        "{\"kind\":\"%s\"}",
        "{\"kind\":\"%s\",\"status\":\"Success\"}"
      })
  void answer_that_is_no_review_is_not_kept(String other) throws InterruptedException {
    String good = answer;
    answer = other;
    gate.countDown();

    assertThatThrownBy(() -> reviews.user(ADDRESS, "token"))
        .isInstanceOf(AccessReviews.NoReview.class);
    assertThatThrownBy(() -> reviews.mayListNodes(ADDRESS, user("ann")))
        .isInstanceOf(AccessReviews.NoReview.class);

    answer = good;
    assertThat(reviews.user(ADDRESS, "token").answer()).isPresent();
    assertThat(reviews.mayListNodes(ADDRESS, user("ann")).answer()).isTrue();
  }
}
