package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The admission policy lets only Muster write Muster's records.
class RecordsPolicyE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @BeforeAll
  static void apply() {
    ShippedFiles.built("manifests/records-policy")
        .forEach(object -> STAGE.admin().resource(object).create());
    await("the policy in force")
        .atMost(Duration.ofSeconds(30))
        .until(() -> isRefused("muster.dev/preempted-at"));
  }

  private static boolean isRefused(String annotation) {
    try {
      STAGE.admin().pods().resource(annotated(annotation)).dryRun().create();
      return false;
    } catch (KubernetesClientException e) {
      assertThat(e.getMessage())
          .contains("The annotations " + annotation + " are records of Muster");
      return true;
    }
  }

  private static Pod annotated(String annotation) {
    return TestCluster.gpuPod("forger", 1)
        .editMetadata()
        .addToAnnotations(annotation, "2099-01-01T00:00:00Z")
        .endMetadata()
        .build();
  }

  @Test
  void records_cannot_be_forged() {
    assertThat(isRefused("muster.dev/victims")).isTrue();
    assertThat(isRefused("muster.dev/reservation")).isTrue();
    assertThat(isRefused("muster.dev/preempted-by")).isTrue();
    assertThat(isRefused("muster.dev/preemptible")).as("what owners may say").isFalse();
  }

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
  }
}
