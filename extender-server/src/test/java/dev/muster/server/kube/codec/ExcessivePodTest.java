package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.MessageLimit;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// A pod beyond its budget does not start, and while it is on a node only its resources count.
class ExcessivePodTest extends PodCodecScene {
  private static final String TOLERATIONS =
      "tolerations: ["
          + IntStream.range(0, 3_000)
              .mapToObj(i -> "{key: k%d, operator: Exists}".formatted(i))
              .collect(Collectors.joining(", "))
          + "]";

  private static ObjectProblem problem(String metadata, String spec) {
    if (CODEC.read(Yaml.pod(yaml(metadata, spec, "")))
        instanceof PodFact.Unreadable(ObjectProblem problem, _)) {
      return problem;
    }
    throw new AssertionError("The pod is readable.");
  }

  @Test
  void waiting_pod_beyond_the_budget_is_invalid() {
    ObjectProblem problem = problem("", TOLERATIONS);

    assertThat(problem.reason()).isEqualTo("InvalidSpecification");
    assertThat(problem.message())
        .isEqualTo("The field spec.tolerations has 3000 entries; the limit is 100.");
  }

  @Test
  void running_pod_beyond_the_budget_counts_with_its_resources() {
    PodFact.Ours pod = ours("", TOLERATIONS + "\nnodeName: n1", ACCEPTED);

    assertThat(pod.member().node()).contains(new NodeId("n1"));
    assertThat(pod.member().request().gpus()).isEqualTo(8);
    assertThat(pod.member().request().resources().get(Resources.CPU)).isEqualTo(2_000);
    assertThat(pod.member().request().selection()).isEqualTo(NodeSelection.ANY);
    assertThat(pod.member().wishes()).isEqualTo(GangConstraints.NONE);
    assertThat(pod.problem()).isPresent();
  }

  @Test
  void unmanaged_pod_beyond_the_budget_counts_with_its_resources() {
    String pod =
        yaml("", TOLERATIONS + "\nnodeName: n1", ACCEPTED).replace("default-scheduler", "other");

    assertThat(CODEC.read(Yaml.pod(pod))).isInstanceOf(PodFact.Unmanaged.class);
  }

  @Test
  void name_that_no_pod_group_can_have_makes_no_gang() {
    String annotations =
        "annotations: {scheduling.k8s.io/group-name: %s}".formatted("x".repeat(250_000));

    assertThat(problem(annotations, "").message())
        .isEqualTo("The annotation scheduling.k8s.io/group-name has more than 253 characters.");
  }

  @Test
  void message_about_a_long_value_shows_its_beginning() {
    String spec =
        """
        affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
          {matchFields: [{key: %s, operator: In, values: [a]}]}]}}}
        """
            .formatted("x".repeat(5_000));

    assertThat(problem("", spec).message())
        .contains("(" + "x".repeat(60) + "...)")
        .hasSizeLessThan(MessageLimit.CHARACTERS);
  }

  @Test
  void owner_with_a_name_of_many_numbers_is_told() {
    String owners =
        "ownerReferences: [{apiVersion: v1, kind: Job, uid: u, controller: true, name: \"a"
            + "-1".repeat(200_000)
            + "\"}]";

    assertThat(problem(owners, "").message())
        .startsWith("The field metadata.ownerReferences.name has 400001 characters");
  }
}
