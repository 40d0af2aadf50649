package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The problems of owners are told to their users.
class OwnerReportTest {
  private static final OwnerKind JOB_SET =
      OwnerKinds.with(List.of()).find("jobset.x-k8s.io/v1alpha2", "JobSet").orElseThrow();

  private final List<ObjectProblem> told = new ArrayList<>();
  private final ResourceWatch.Sink<GenericKubernetesResource> sink =
      OwnerWatch.owners(JOB_SET, OwnerGangs.none(), new ObjectProblems(() -> true, told::add));

  private void see(String labels, int jobs) {
    sink.seen(
        "ml/train",
        Yaml.owner(
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {namespace: ml, name: train, uid: o1, labels: {%s}}
            spec: {replicatedJobs: [%s{}]}
            """
                .formatted(labels, "{}, ".repeat(jobs)),
            JOB_SET.api().selection()));
  }

  @Test
  void owner_that_is_too_large_is_told_the_field_and_the_limit() {
    see("", 20_000);

    assertThat(told)
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.object().kind()).isEqualTo("JobSet");
          assertThat(problem.message())
              .startsWith(
                  "The field spec.replicatedJobs is too large; at most 4194304 bytes of memory are used for it.");
        });
  }

  @Test
  void owner_that_forms_no_gang_may_be_large() {
    see("muster.dev/gang: \"false\"", 20_000);

    assertThat(told).isEmpty();
  }

  @Test
  void owner_that_is_too_large_again_is_told_again() {
    see("", 20_000);
    see("", 1);
    see("", 20_000);

    assertThat(told).hasSize(2);
  }
}
