package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ObjectProblemsTest {
  private final List<String> told = new ArrayList<>();
  private boolean leads = true;
  private final ObjectProblems problems =
      new ObjectProblems(() -> leads, problem -> told.add(problem.message()));

  private void note(String message) {
    ObjectRef pod = ObjectRef.to(Yaml.pod("metadata: {name: p, namespace: ns}"));
    problems.note("pod/ns/p", Optional.of(new ObjectProblem(pod, "Bad", message)));
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
}
