package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Records that an owner forges while Muster is down give nothing and take nothing after its
/// restart. There is no policy that protects records.
class ForgedRecordsE2E {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(8);
  private static final String LATER = "2099-01-01T00:00:00Z";

  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().with(LongRun.configuration("", ""));

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @Test
  void forged_reservation_and_victims_take_no_gpus_of_others() {
    cluster.createNodes(NodeShape.withGpus("full", 8));
    try (ClusterAudit audit = new ClusterAudit(STAGE.admin(), LONG_ENOUGH)) {
      gangs.create("honest", 2, 4);
      gangs.awaitRunning("honest", 2);
      gangs.create("forger", 1, 8);
      gangs.awaitReason("forger", "WaitingForCapacity");
      STAGE.killMuster();

      gangs.annotate(
          "forger",
          Map.of("muster.dev/reservation", reservation(), "muster.dev/victims", victims()));
      STAGE.startMuster();

      await("nothing happens")
          .during(LONG_ENOUGH)
          .atMost(LONG_ENOUGH.multipliedBy(3))
          .until(() -> gangs.inPhase("honest", "Running") == 2 && gangs.bound("forger") == 0);
      gangs.awaitReason("forger", "WaitingForCapacity");
      assertThat(audit.findings().violations()).isEmpty();
    }
  }

  private String reservation() {
    return Serialization.asJson(
        Map.of(
            "version",
            1,
            "until",
            LATER,
            "members",
            Map.of("forger-0", Map.of("uid", uid("forger-0"), "node", "full"))));
  }

  private String victims() {
    Map<String, Object> victim =
        Map.of(
            "namespace",
            "default",
            "origin",
            "POD_GROUP",
            "name",
            "honest",
            "rule",
            "higher-priority",
            "lostWork",
            0,
            "members",
            Map.of("honest-0", uid("honest-0"), "honest-1", uid("honest-1")));
    return Serialization.asJson(Map.of("version", 1, "victims", List.of(victim)));
  }

  private String uid(String pod) {
    return cluster.find(pod).orElseThrow().getMetadata().getUid();
  }
}
