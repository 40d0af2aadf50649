package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.kube.owner.kind.OwnedPod;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Pods whose owner has a gang are treated like pods that name one.
class OwnedPodsTest {
  private static final GangId GANG = new GangId("ml", Origin.POD_GROUP, "mpijob-pi");
  private static final PodScope SCOPE =
      new PodScope(
          Set.of("nvidia.com/gpu"), Set.of("default-scheduler"), OwnedPodsTest::ofTheLauncher);

  private static Optional<GangId> ofTheLauncher(OwnedPod pod) {
    return pod.controllerName().equals("pi-launcher")
            && "pi".equals(pod.labels().get("training.kubeflow.org/job-name"))
        ? Optional.of(GANG)
        : Optional.empty();
  }

  private static String pod(String owner) {
    return """
    {"metadata":{"namespace":"ml","name":"pi-launcher-x7k2p","uid":"u1",
    "labels":{"training.kubeflow.org/job-name":"pi"},
    "ownerReferences":[{"kind":"Gang","name":"other"},
    {"apiVersion":"batch/v1","kind":"Job","name":"%s","uid":"o1","controller":true}]},
    "spec":{"containers":[{"name":"c"}]}}
    """
        .formatted(owner);
  }

  private static String patch(String pod) throws MalformedRequest {
    PodWebhook webhook =
        new PodWebhook(SCOPE, new WebhookOptions(true, false, _ -> Map.of()), _ -> true);
    String review =
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r1\",\"operation\":\"CREATE\",\"namespace\":\"ml\",\"object\":%s}}"
            .formatted(pod);
    return new String(
        webhook.review(PodWebhook.Task.GATE, review.getBytes(StandardCharsets.UTF_8)),
        StandardCharsets.UTF_8);
  }

  @Test
  void member_without_gpus_gets_the_gate() throws MalformedRequest {
    String gate =
        "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates\",\"value\":[{\"name\":\"muster.dev/gang\"}]}]";

    assertThat(patch(pod("pi-launcher")))
        .contains(Base64.getEncoder().encodeToString(gate.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void pod_of_another_job_gets_no_gate() throws MalformedRequest {
    assertThat(patch(pod("else"))).doesNotContain("patch");
  }

  @Test
  void scheduler_asks_about_a_member() throws MalformedRequest {
    byte[] body =
        "{\"Pod\":%s,\"NodeNames\":[\"n1\"]}"
            .formatted(pod("pi-launcher"))
            .getBytes(StandardCharsets.UTF_8);
    ExtenderArgs args = ExtenderReader.args(body, SCOPE.accelerators());

    assertThat(args.pod().map(SCOPE::grouped))
        .get()
        .satisfies(pod -> {
          assertThat(pod.gangs()).startsWith(GANG).hasSize(2);
          assertThat(SCOPE.includes(pod)).isTrue();
        });
  }
}
