package dev.muster.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SharedResultTest {
  private final List<Runnable> threads = new ArrayList<>();
  private Runnable midway = () -> {};
  private int made;
  private final SharedResult<Integer> results = new SharedResult<>(this::make, threads::add);

  private int make() {
    midway.run();
    return ++made;
  }

  private CompletableFuture<Integer> asked() {
    return waiting().result();
  }

  private SharedResult.Caller<Integer> waiting() {
    SharedResult.Caller<Integer> caller = new SharedResult.Caller<>();
    results.add(caller);
    return caller;
  }

  private void run() {
    threads.removeFirst().run();
  }

  @Test
  void all_that_wait_get_one_result() {
    CompletableFuture<Integer> one = asked();
    CompletableFuture<Integer> other = asked();
    run();
    assertThat(List.of(one.join(), other.join())).containsExactly(1, 1);
    assertThat(threads).isEmpty();
  }

  @Test
  void callers_get_a_result_that_is_begun_after_they_asked() {
    List<CompletableFuture<Integer>> late = new ArrayList<>();
    midway =
        () -> {
          if (late.size() < 3) {
            late.add(asked());
            late.add(asked());
            late.add(asked());
          }
        };
    CompletableFuture<Integer> early = asked();
    run();
    assertThat(early.join()).isEqualTo(1);
    assertThat(late.stream().map(CompletableFuture::join)).containsExactly(2, 2, 2);
  }

  @Test
  void no_result_is_made_for_callers_that_left() {
    SharedResult.Caller<Integer> caller = waiting();
    results.remove(caller);
    run();
    assertThat(made).isZero();
    assertThat(caller.result()).isNotDone();
  }

  @Test
  void a_caller_that_leaves_midway_gets_nothing() {
    SharedResult.Caller<Integer> caller = waiting();
    midway = () -> results.remove(caller);
    run();
    assertThat(caller.result()).isNotDone();
  }

  @Test
  void a_failure_reaches_the_callers_and_ends() {
    midway =
        () -> {
          throw new StackOverflowError();
        };
    CompletableFuture<Integer> failed = asked();
    run();
    assertThat(failed).isCompletedExceptionally();
    midway = () -> {};
    CompletableFuture<Integer> next = asked();
    run();
    assertThat(next.join()).isEqualTo(1);
  }
}
