package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.node.Node;
import dev.muster.server.kube.DamagedFields;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.dra.NodeGpus;
import dev.muster.server.kube.dra.PodClaim;
import dev.muster.server.kube.watch.TrimmedStore;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Whatever field is missing, null or of another type, an object is read or refused in a sentence.
class DamagedObjectTest {
  private static final Set<String> SCHEDULERS = Set.of("default-scheduler");

  private static final NodeCodec NODES =
      new NodeCodec(List.of("nvidia.com/gpu"), Set.of("GpuFault"), _ -> NodeGpus.NONE);

  private static final String NODE =
      """
      {"apiVersion":"v1","kind":"Node",
       "metadata":{"name":"n1","uid":"n","labels":{"nvidia.com/gpu.product":"NVIDIA-H100","nvidia.com/gpu.memory":"81920"},
         "annotations":{"muster.dev/free-gpus":"0,2"}},
       "spec":{"unschedulable":false,"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]},
       "status":{"allocatable":{"cpu":"8","nvidia.com/gpu":"8"},
         "conditions":[{"type":"Ready","status":"True"},{"type":"GpuFault","status":"False"}]}}
      """;

  @Test
  void pod_with_any_damaged_field_is_read_or_refused() throws IOException {
    DamagedFields.tryAll(
        Files.readString(Path.of("src/test/resources/fuzz/PodFuzz/waiting.json")),
        DamagedObjectTest::read);
  }

  private static void read(String damage, byte[] text) {
    Pod pod = PodFuzz.parsed(text, Pod.class);
    if (pod != null && pod.getSpec() != null) {
      PodFact fact = PodCodecScene.CODEC.read(pod);
      Optional<ObjectProblem> problem =
          switch (fact) {
            case PodFact.Unreadable(ObjectProblem found, _) -> Optional.of(found);
            case PodFact.Ours ours -> ours.problem();
            default -> Optional.empty();
          };
      check(damage, problem);
      check(damage, UncountedPod.problem(pod, SCHEDULERS));
      UncountedPod.of(pod, fact, SCHEDULERS);
      ParallelJob.of(pod, fact);
      PodClaim.of(pod);
      TrimmedStore.ofPods().put("ml/train-3", pod);
    }
  }

  @Test
  void node_with_any_damaged_field_is_read_or_refused() throws IOException {
    DamagedFields.tryAll(
        NODE,
        (damage, text) -> {
          var node = PodFuzz.parsed(text, io.fabric8.kubernetes.api.model.Node.class);
          if (node != null) {
            check(damage, NODES.problem(node));
            check(damage, problem(NODES.read(node)));
          }
        });
  }

  private static Optional<ObjectProblem> problem(ReadResult<Node> result) {
    return result instanceof ReadResult.Bad<Node>(ObjectProblem problem)
        ? Optional.of(problem)
        : Optional.empty();
  }

  @Test
  void pod_group_with_any_damaged_field_is_read_or_refused() throws IOException {
    String group = Files.readString(Path.of("src/test/resources/fuzz/PodGroupFuzz/recorded.json"));
    DamagedFields.tryAll(
        group,
        (damage, text) -> {
          @Nullable GenericKubernetesResource read =
              PodFuzz.parsed(text, GenericKubernetesResource.class);
          for (PodGroupDialect dialect : PodGroupDialect.values()) {
            if (read != null
                && new PodGroupCodec(dialect, _ -> Optional.empty()).read(read)
                    instanceof ReadResult.Bad<?>(ObjectProblem problem)) {
              check(damage, Optional.of(problem));
            }
          }
        });
  }

  private static void check(String damage, Optional<ObjectProblem> problem) {
    assertThat(problem.map(ObjectProblem::message).orElse(""))
        .as(damage)
        .isNotEqualTo(ObjectProblem.UNFORESEEN)
        .doesNotContain("java.", "Exception", "(null)");
  }
}
