package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ObjectProblemsTest {
  private final List<String> told = new ArrayList<>();
  private boolean leads = true;
  private final ObjectProblems problems =
      new ObjectProblems(() -> leads, problem -> told.add(problem.message()));

  private void note(String message) {
    note("ns/p", message);
  }

  private void note(String pod, String message) {
    ObjectRef object = new ObjectRef("v1", "Pod", pod.replaceAll("/.*", ""), pod, "u");
    problems.note("pod/" + pod, Optional.of(new ObjectProblem(object, "Bad", message)));
  }

  /// Notes problems of lone pods that are more than are reported at once.
  private void flood() {
    IntStream.rangeClosed(1, 1_000).forEach(i -> note("ns/p" + i, "odd " + i));
  }

  @Test
  void equal_problem_is_reported_once() {
    note("odd");
    note("odd");

    assertThat(told).containsExactly("odd");
  }

  @Test
  void recurring_problem_is_reported_again() {
    note("odd");
    problems.note("pod/ns/p", Optional.empty());
    note("odd");

    assertThat(told).containsExactly("odd", "odd");
  }

  @Test
  void standby_reports_the_last_problem_only_after_it_leads() {
    leads = false;
    note("odd");
    note("odder");
    problems.report();
    assertThat(told).isEmpty();

    leads = true;
    problems.report();
    problems.report();

    assertThat(told).containsExactly("odder");
  }

  @Test
  void problem_solved_before_leadership_is_never_reported() {
    leads = false;
    note("odd");
    problems.note("pod/ns/p", Optional.empty());

    leads = true;
    problems.report();

    assertThat(told).isEmpty();
  }

  @Test
  void many_lone_pods_are_reported_slowly() {
    flood();
    assertThat(told).hasSize(ObjectProblems.AT_MOST).contains("odd 16");

    IntStream.rangeClosed(1, 4).forEach(_ -> problems.report());
    assertThat(told).hasSize(ObjectProblems.AT_MOST + 3).endsWith("odd 17", "odd 18", "odd 19");
  }

  @Test
  void each_problem_is_reported_in_the_end() {
    flood();
    IntStream.rangeClosed(1, 1_000).forEach(_ -> problems.report());

    assertThat(told).hasSize(1_000);
  }

  @Test
  void other_namespace_is_reported_at_once() {
    flood();
    note("other/p", "other");

    assertThat(told).endsWith("other");
  }

  @Test
  void problem_solved_before_its_turn_is_never_reported() {
    flood();
    problems.note("pod/ns/p17", Optional.empty());
    IntStream.rangeClosed(1, 1_000).forEach(_ -> problems.report());

    assertThat(told).hasSize(999).doesNotContain("odd 17");
  }

  @Test
  void problem_that_changes_all_the_time_is_reported_slowly_and_at_last() {
    IntStream.rangeClosed(1, 1_000).forEach(i -> note("ns/p", "odd " + i));
    IntStream.rangeClosed(1, 10).forEach(_ -> problems.report());

    assertThat(told).hasSize(ObjectProblems.AT_MOST + 1).endsWith("odd 1000");
  }

  @Test
  void allowance_returns_in_quiet_seconds() {
    IntStream.rangeClosed(1, ObjectProblems.AT_MOST).forEach(i -> note("odd " + i));
    IntStream.rangeClosed(1, 2 * ObjectProblems.AT_MOST).forEach(_ -> problems.report());
    flood();

    assertThat(told).hasSize(2 * ObjectProblems.AT_MOST);
  }
}
