package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The admission policy lets only Muster write Muster's records: not even an admin may.
class RecordsPolicyE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final String KUEUE_QUEUE = "kueue.x-k8s.io/queue-name";
  private static final String TIME = "2099-01-01T00:00:00Z";
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  @BeforeAll
  static void apply() {
    VolcanoPodGroupE2E.install(STAGE);
    ShippedFiles.built("manifests/records-policy")
        .forEach(object -> STAGE.admin().resource(object).create());
    await("the policy in force")
        .atMost(Duration.ofSeconds(30))
        .until(() -> refusal(() -> create(pod(WellKnownNames.RAN_WITH))).isPresent());
  }

  // ---- Objects and writes ----

  private static HasMetadata pod(String annotation) {
    return TestCluster.gpuPod("forger", 0)
        .editMetadata()
        .addToAnnotations(annotation, TIME)
        .endMetadata()
        .build();
  }

  private static HasMetadata podGroup(String apiVersion, String annotation) {
    var group = TestGangs.group("forger", 1, Map.of(annotation, TIME));
    group.setApiVersion(apiVersion);
    return group;
  }

  private static void create(HasMetadata object) {
    STAGE.admin().resource(object).dryRun().create();
  }

  private static void annotate(HasMetadata object, String annotation, String subresource) {
    String patch =
        Serialization.asJson(Map.of("metadata", Map.of("annotations", Map.of(annotation, TIME))));
    patch(object, subresource, patch);
  }

  private static void condition(HasMetadata object, String type) {
    Map<String, String> condition =
        Map.of(
            "type",
            type,
            "status",
            "True",
            "reason",
            "Forged",
            "message",
            "",
            "lastTransitionTime",
            TIME);
    patch(
        object,
        "status",
        Serialization.asJson(Map.of("status", Map.of("conditions", List.of(condition)))));
  }

  private static void patch(HasMetadata object, String subresource, String patch) {
    var resource = STAGE.admin().resource(object);
    if (subresource.isEmpty()) {
      resource.patch(MERGE, patch);
    } else {
      resource.subresource(subresource).patch(MERGE, patch);
    }
  }

  /// Returns the answer of the API server if it refuses the write.
  private static Optional<String> refusal(Runnable write) {
    try {
      write.run();
      return Optional.empty();
    } catch (KubernetesClientException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static void assertRefused(String names, Runnable write) {
    assertThat(refusal(write).orElse("accepted"))
        .contains(names + " are records of Muster. Only Muster may");
  }

  // ---- What it refuses ----

  @Test
  void no_object_is_created_with_a_record() {
    for (String name : WellKnownNames.RECORDS) {
      String said = "The annotations " + name;
      assertRefused(said, () -> create(pod(name)));
      assertRefused(said, () -> create(podGroup("scheduling.x-k8s.io/v1alpha1", name)));
      assertRefused(said, () -> create(podGroup("scheduling.volcano.sh/v1beta1", name)));
    }
  }

  @Test
  void no_record_is_added_to_an_object_or_through_its_status() {
    HasMetadata pod = STAGE.admin().resource(TestCluster.gpuPod("edited", 0).build()).create();
    HasMetadata group = STAGE.admin().resource(TestGangs.group("edited", 1, Map.of())).create();
    for (String name : WellKnownNames.RECORDS) {
      String said = "The annotations " + name;
      assertRefused(said, () -> annotate(pod, name, ""));
      assertRefused(said, () -> annotate(pod, name, "status"));
      assertRefused(said, () -> annotate(group, name, ""));
    }
  }

  @Test
  void past_of_a_gang_is_not_forged_in_its_status() {
    HasMetadata group = STAGE.admin().resource(TestGangs.group("past", 1, Map.of())).create();
    for (String type : List.of("Admitted", "Eligible", "Finished")) {
      assertRefused("The conditions Admitted, Eligible and Finished", () -> condition(group, type));
    }
    assertThat(refusal(() -> condition(group, "Other"))).as("what others may say").isEmpty();
  }

  @Test
  void owners_may_say_what_they_want_for_their_gangs() {
    String name = WellKnownNames.PREEMPTIBLE;
    assertThat(refusal(() -> create(pod(name)))).isEmpty();
    assertThat(refusal(() -> create(podGroup("scheduling.x-k8s.io/v1alpha1", name)))).isEmpty();
  }

  // ---- Labels of gangs ----

  private static void label(HasMetadata pod, String label, String value) {
    patch(
        pod, "", Serialization.asJson(Map.of("metadata", Map.of("labels", Map.of(label, value)))));
  }

  @Test
  void pod_with_a_node_keeps_the_labels_of_its_gang_and_queue() {
    HasMetadata bound =
        STAGE
            .admin()
            .resource(
                TestCluster.gpuPod("bound", 0).editSpec().withNodeName("nowhere").endSpec().build())
            .create();
    for (String label : List.of(WellKnownNames.POD_GROUP, WellKnownNames.QUEUE, KUEUE_QUEUE)) {
      await("the policy in force")
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(refusal(() -> label(bound, label, "x" + System.nanoTime())).orElse(""))
                  .contains("The pod has a node, so its labels " + label + " cannot change"));
    }
    assertThat(refusal(() -> label(bound, "example.com/other", "x"))).isEmpty();
  }

  @Test
  void pod_without_a_node_may_change_the_labels_of_its_gang() {
    HasMetadata pod = STAGE.admin().resource(TestCluster.gpuPod("free", 0).build()).create();
    assertThat(refusal(() -> label(pod, WellKnownNames.POD_GROUP, "other"))).isEmpty();
  }

  @Test
  void pod_group_keeps_its_queue_from_its_start_until_its_last_pod_is_gone() {
    HasMetadata group = STAGE.admin().resource(TestGangs.group("moved", 1, Map.of())).create();
    STAGE.cluster().createNodes(NodeShape.withGpus("moved-1", 8));
    STAGE.gangs().createMember("moved", 0, 8);
    STAGE.gangs().awaitRunning("moved", 1);
    await("the gang is admitted")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.gangs().isTrue("moved", "Admitted"));

    for (String label : List.of(WellKnownNames.QUEUE, KUEUE_QUEUE)) {
      await("the policy in force")
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(refusal(() -> label(group, label, "x" + System.nanoTime())).orElse(""))
                  .contains(
                      "The gang is admitted, so " + label + " of its PodGroup cannot change"));
    }
    assertThat(refusal(() -> label(group, "example.com/other", "x"))).isEmpty();

    STAGE.admin().pods().inNamespace("default").withName("moved-0").withGracePeriod(0).delete();
    await("another queue after the last pod")
        .atMost(TestCluster.WAIT)
        .until(() -> refusal(() -> label(group, WellKnownNames.QUEUE, "other")).isEmpty());
  }

  // ---- What it lets Muster do ----

  @Test
  void muster_itself_may_write_records() {
    STAGE
        .cluster()
        .createNodes(
            NodeShape.withGpus("records-1", 8),
            NodeShape.withGpus("records-2", 8),
            NodeShape.withGpus("records-3", 8));
    STAGE.gangs().declare("kept", 3);
    STAGE.gangs().createMember("kept", 0, 8);
    STAGE.gangs().createMember("kept", 1, 8);
    STAGE.gangs().awaitReason("kept", "WaitingForMembers");
    STAGE.gangs().createMember("kept", 2, 1);

    STAGE.gangs().awaitRunning("kept", 3);
    await("the record of its minimum")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.gangs().annotation("kept", WellKnownNames.RAN_WITH).equals("3"));
    await("the record of its age")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.gangs().isTrue("kept", WellKnownNames.ELIGIBLE));
  }
}
