package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.ReadResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Pods without a gang and pods with ResourceClaims are read as facts.
class ClaimingPodsTest extends PodCodecScene {
  @Test
  void unmanaged_pods_count_once_bound() {
    String cpu =
        yaml("", "nodeName: n1", ACCEPTED).replaceAll("nvidia.com/gpu: \"8\"", "memory: 1Gi");
    String other = yaml("", "nodeName: n1", ACCEPTED).replace("default-scheduler", "volcano");

    assertThat(CODEC.read(Yaml.pod(cpu)))
        .isInstanceOfSatisfying(
            PodFact.Unmanaged.class,
            unmanaged -> {
              assertThat(unmanaged.node()).isEqualTo(new NodeId("n1"));
              assertThat(unmanaged.gpus()).isZero();
              assertThat(unmanaged.resources().asMap())
                  .isEqualTo(Map.of("cpu", 2000L, "memory", 1L << 30, "pods", 1L));
            });
    assertThat(CODEC.read(Yaml.pod(other)))
        .isInstanceOfSatisfying(
            PodFact.Unmanaged.class, unmanaged -> assertThat(unmanaged.gpus()).isEqualTo(8));
    assertThat(CODEC.read(Yaml.pod(other.replace("nodeName: n1", ""))))
        .isEqualTo(new PodFact.Nothing());
    assertThat(CODEC.read(Yaml.pod(other.replace("phase: Pending", "phase: Succeeded"))))
        .isEqualTo(new PodFact.Nothing());
  }

  private static PodFact claiming(ReadResult<Resources> claims, String metadata, String spec) {
    String yaml = yaml(metadata, spec, ACCEPTED).replaceAll("nvidia.com/gpu: \"8\"", "memory: 1Gi");
    return new PodCodec(List.of("nvidia.com/gpu"), Set.of("default-scheduler"), _ -> claims)
        .read(Yaml.pod(yaml));
  }

  @Test
  void claimed_gpus_count_like_requested_ones() {
    ReadResult<Resources> four = new ReadResult.Good<>(Resources.of("nvidia.com/gpu", 4));

    assertThat(claiming(four, "", ""))
        .isInstanceOfSatisfying(
            PodFact.Ours.class,
            ours -> {
              assertThat(ours.member().request().gpus()).isEqualTo(4);
              assertThat(ours.member().request().resources().asMap())
                  .isEqualTo(
                      Map.of("cpu", 2000L, "memory", 1L << 30, "pods", 1L, "nvidia.com/gpu", 4L));
            });
    assertThat(
            new PodCodec(List.of("nvidia.com/gpu"), Set.of("another"), _ -> four)
                .read(
                    Yaml.pod(
                        "metadata: {uid: u, name: p, namespace: ml}\nspec: {nodeName: n1}\nstatus: {phase: Running}")))
        .isInstanceOfSatisfying(
            PodFact.Unmanaged.class, unmanaged -> assertThat(unmanaged.gpus()).isEqualTo(4));
  }

  @Test
  void member_with_uncountable_claims_is_held_and_other_pods_are_ignored() {
    ObjectProblem problem =
        new ObjectProblem(ObjectRef.to(Yaml.pod("metadata: {name: p}")), "x", "why");
    ReadResult<Resources> unclear = new ReadResult.Bad<>(problem);
    String gang = "labels: {scheduling.x-k8s.io/pod-group: g}";

    assertThat(claiming(unclear, gang, ""))
        .isEqualTo(new PodFact.Unreadable(problem, Optional.empty()));
    assertThat(claiming(unclear, "", "")).isEqualTo(new PodFact.Nothing());
    assertThat(claiming(unclear, gang, "nodeName: n1"))
        .as("it runs, whatever it has")
        .isInstanceOf(PodFact.Ours.class);
  }

  private static PodFact mayTakeGpus(String spec) {
    ObjectProblem problem =
        new ObjectProblem(ObjectRef.to(Yaml.pod("metadata: {name: p}")), "x", "why");
    String yaml = yaml("", spec, ACCEPTED).replaceAll("nvidia.com/gpu: \"8\"", "memory: 1Gi");
    return new PodCodec(
            List.of("nvidia.com/gpu"),
            Set.of("default-scheduler"),
            _ -> new ReadResult.Bad<>(problem),
            _ -> true,
            _ -> Optional.empty())
        .read(Yaml.pod(yaml));
  }

  @Test
  void lone_pod_that_may_take_gpus_keeps_its_gate() {
    String gate = "schedulingGates: [{name: muster.dev/gang}]";

    assertThat(mayTakeGpus(gate)).isInstanceOf(PodFact.Unreadable.class);
    assertThat(mayTakeGpus("")).as("without a gate").isEqualTo(new PodFact.Nothing());
    assertThat(mayTakeGpus(gate + "\nnodeName: n1"))
        .as("it runs, whatever it has")
        .isInstanceOf(PodFact.Unmanaged.class);
  }

  @Test
  void requests_by_the_names_of_device_classes_are_claims() {
    String spec =
        yaml("", "", ACCEPTED)
            .replaceAll(
                "nvidia.com/gpu: \"8\"", "deviceclass.resource.kubernetes.io/gpu.nvidia.com: 8");
    PodCodec codec =
        new PodCodec(
            List.of("nvidia.com/gpu"),
            Set.of("default-scheduler"),
            _ -> new ReadResult.Good<>(Resources.of("nvidia.com/gpu", 8)));

    assertThat(codec.read(Yaml.pod(spec)))
        .isInstanceOfSatisfying(
            PodFact.Ours.class,
            ours ->
                assertThat(ours.member().request().resources().asMap())
                    .containsOnlyKeys("cpu", "pods", "nvidia.com/gpu"));
  }

  @Test
  void unmanaged_pod_with_our_gate_is_an_orphan() {
    ObjectProblem problem =
        new ObjectProblem(ObjectRef.to(Yaml.pod("metadata: {name: p}")), "x", "why");
    ReadResult<Resources> unclear = new ReadResult.Bad<>(problem);
    ReadResult<Resources> none = new ReadResult.Good<>(Resources.NONE);
    String gate = "schedulingGates: [{name: muster.dev/gang}]";
    var stray = new PodFact.Stray(new MemberId("ml", "train-3", "u3"));

    assertThat(claiming(unclear, "", gate)).isEqualTo(stray);
    assertThat(claiming(none, "", gate)).isEqualTo(stray);
    assertThat(claiming(none, "", "schedulingGates: [{name: kueue.x-k8s.io/admission}]"))
        .isEqualTo(new PodFact.Nothing());
    assertThat(CODEC.read(Yaml.pod(yaml("", gate, "").replace("default-scheduler", "volcano"))))
        .as("of another scheduler")
        .isEqualTo(new PodFact.Nothing());
  }
}
