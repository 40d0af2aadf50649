package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Resources;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.owner.OwnerEnds;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Image, extender and webhook see each pod in one gang, and the admission rules ask for it.
class OwnerAgreementTest {
  private static final Set<String> GPUS = Set.of("nvidia.com/gpu");
  private static final Set<String> SCHEDULERS = Set.of("default-scheduler");
  private static final String TEMPLATE =
      "{spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}}";
  private static final String EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology";

  private static final List<String> OWNERS =
      List.of(
          """
          apiVersion: jobset.x-k8s.io/v1alpha2
          kind: JobSet
          metadata: {namespace: ml, uid: o1, name: train, annotations: {%s: rack}}
          spec: {replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 4, template: %s}}}]}
          """
              .formatted(EXCLUSIVE, TEMPLATE),
          """
          apiVersion: leaderworkerset.x-k8s.io/v1
          kind: LeaderWorkerSet
          metadata: {namespace: ml, uid: o1, name: vllm}
          spec: {replicas: 2, leaderWorkerTemplate: {size: 4, workerTemplate: %s}}
          """
              .formatted(TEMPLATE),
          """
          apiVersion: kubeflow.org/v2beta1
          kind: MPIJob
          metadata: {namespace: ml, uid: o1, name: pi}
          spec: {mpiReplicaSpecs: {Launcher: {template: {}}, Worker: {replicas: 4, template: %s}}}
          """
              .formatted(TEMPLATE),
          """
          apiVersion: kubeflow.org/v1
          kind: PyTorchJob
          metadata: {namespace: ml, uid: o1, name: bert}
          spec: {pytorchReplicaSpecs: {Worker: {replicas: 4, template: %s}}}
          """
              .formatted(TEMPLATE),
          """
          apiVersion: ray.io/v1
          kind: RayCluster
          metadata: {namespace: ml, uid: o1, name: tune}
          spec:
            headGroupSpec: {template: {}}
            workerGroupSpecs: [{groupName: a, replicas: 4, template: %s}]
          """
              .formatted(TEMPLATE),
          """
          apiVersion: batch/v1
          kind: Job
          metadata: {namespace: ml, uid: o1, name: sweep, labels: {muster.dev/gang: "true"}}
          spec: {parallelism: 4, template: %s}
          """
              .formatted(TEMPLATE));

  private static final OwnerKinds KINDS = OwnerKinds.with(List.of());

  private final OwnerGangs gangs =
      new OwnerGangs(
          KINDS,
          List.copyOf(GPUS),
          new OwnerEnds(
              _ -> Map.of(),
              _ -> true,
              () -> true,
              _ -> Optional.empty(),
              _ -> {},
              _ -> {},
              _ -> {},
              _ -> {},
              (_, _) -> {},
              InstantSource.system()));
  private final PodScope scope = new PodScope(GPUS, SCHEDULERS, gangs::gangOf);

  OwnerAgreementTest() {
    for (String yaml : OWNERS) {
      GenericKubernetesResource owner = Yaml.group(yaml);
      gangs.owner(kind(owner.getKind()), "ml/" + owner.getMetadata().getName(), Optional.of(owner));
    }
  }

  private static OwnerKind kind(String name) {
    return KINDS.kinds().stream()
        .filter(kind -> kind.api().kind().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          jobset-train | Job/train-w-0 | jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: w, batch.kubernetes.io/job-completion-index: "0" | alpha.jobset.sigs.k8s.io/exclusive-topology: rack
          jobset-train.w-followers | Job/train-w-0 | jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: w, batch.kubernetes.io/job-completion-index: "1" | alpha.jobset.sigs.k8s.io/exclusive-topology: rack
          leaderworkerset-vllm-1 | StatefulSet/vllm-1 | leaderworkerset.sigs.k8s.io/name: vllm, leaderworkerset.sigs.k8s.io/group-index: "1", leaderworkerset.sigs.k8s.io/worker-index: "3" | x: y
          mpijob-pi | Job/pi-launcher | training.kubeflow.org/job-name: pi, training.kubeflow.org/job-role: launcher | x: y
          mpijob-pi | MPIJob/pi | training.kubeflow.org/job-name: pi, training.kubeflow.org/replica-type: worker | x: y
          pytorchjob-bert | PyTorchJob/bert | training.kubeflow.org/job-name: bert, training.kubeflow.org/replica-type: worker | x: y
          raycluster-tune | RayCluster/tune | ray.io/cluster: tune, ray.io/node-type: head, ray.io/group: headgroup | x: y
          raycluster-tune | RayCluster/tune | ray.io/cluster: tune, ray.io/node-type: worker, ray.io/group: a | x: y
          job-sweep | Job/sweep | muster.dev/gang: "true" | x: y
          """)
  void pod_is_in_one_gang_everywhere(String gang, String maker, String labels, String annotations)
      throws IOException, MalformedRequest {
    String json = json(maker, labels, annotations);
    GangId expected = new GangId("ml", GangId.Origin.POD_GROUP, gang);

    assertThat(inTheImage(json)).isEqualTo(expected);
    assertThat(inTheExtender(json)).startsWith(expected);
    assertThat(patch(json)).contains("/spec/schedulingGates");
    for (String rules : List.of("webhook/webhook", "admission-policy/policy")) {
      String text = Files.readString(Path.of("../deploy/manifests/" + rules + ".yaml"));
      assertThat(labels.replaceAll("[{}\" ]", "").split(","))
          .as(rules)
          .anyMatch(label -> text.contains("'" + label.replaceAll(":.*", "") + "'"));
    }
  }

  /// A pod without GPUs, which is gated only for its gang.
  private static String json(String maker, String labels, String annotations) {
    return Serialization.asJson(
        Yaml.pod(
            """
            apiVersion: v1
            kind: Pod
            metadata:
              namespace: ml
              name: p
              uid: u1
              labels: {%s}
              annotations: {%s}
              ownerReferences: [{apiVersion: x/v1, kind: %s, name: %s, uid: o1, controller: true}]
            spec: {schedulerName: default-scheduler, containers: [{name: c}]}
            """
                .formatted(
                    labels,
                    annotations,
                    maker.replaceAll("/.*", ""),
                    maker.replaceAll(".*/", ""))));
  }

  private GangId inTheImage(String json) {
    PodCodec codec =
        new PodCodec(
            List.copyOf(GPUS),
            SCHEDULERS,
            _ -> new ReadResult.Good<>(Resources.NONE),
            _ -> false,
            pod -> gangs.gangOf(OwnedPod.of(pod)));
    return ((PodFact.Ours) codec.read(Yaml.pod(json))).member().gang();
  }

  private List<GangId> inTheExtender(String json) throws MalformedRequest {
    byte[] body =
        "{\"Pod\":%s,\"NodeNames\":[\"n1\"]}".formatted(json).getBytes(StandardCharsets.UTF_8);
    return ExtenderReader.args(body, GPUS).pod().map(scope::grouped).orElseThrow().groups();
  }

  /// Returns the patch of the webhook; empty if there is none.
  private String patch(String json) throws IOException, MalformedRequest {
    String review =
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r1\",\"operation\":\"CREATE\",\"namespace\":\"ml\",\"object\":%s}}"
            .formatted(json);
    PodWebhook webhook =
        new PodWebhook(scope, new WebhookOptions(true, false, _ -> Map.of()), _ -> true);
    JsonNode answer =
        new ObjectMapper()
            .readTree(
                webhook.review(PodWebhook.Task.GATE, review.getBytes(StandardCharsets.UTF_8)));
    return new String(
        Base64.getDecoder().decode(answer.at("/response/patch").asText()), StandardCharsets.UTF_8);
  }
}
