package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.Dashboards;
import dev.muster.deploy.ShippedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Operators see the metrics and the ledger of preemptions, and change the policy file.
class PreemptionOperationE2E extends PreemptionScene {
  private static final String NAME = "preemption-operation-policy";

  @RegisterExtension
  static final TestStage STAGE =
      stage(
          NAME,
          """
          queues: [{name: default, guaranteed: {gpus: 8}, maximum: {gpus: 800}}]
          budgets: [{queue: default, gpuHours: 1000, period: Day}]
          """);

  PreemptionOperationE2E() {
    super(STAGE, NAME);
  }

  @Test
  void every_metric_of_the_alerts_exists() {
    gangs.declare("alone", 2);
    cluster.create(TestGangs.member("alone", 0, 8));
    gangs.awaitReason("alone", "WaitingForMembers");
    String alerts = ShippedFiles.text("manifests/monitoring/alerts.yaml");
    List<String> named =
        Pattern.compile("\\bmuster_[a-z_]+").matcher(alerts).results().map(m -> m.group()).toList();
    assertThat(named).isNotEmpty();
    assertThat(STAGE.page("/metrics")).contains(named);
  }

  /// The only metric of a dashboard that is missing here is that of nodes that gangs avoid.
  @Test
  void every_series_of_the_dashboards_exists() throws IOException {
    nodes("dashboard", 1);
    gangs.create("low", 1, 8);
    runs("low", 1);
    gangs.create("urgent", 1, 8, 100);
    runs("urgent", 1);
    gangs.create("waits", 1, 8);
    gangs.awaitReason("waits", "WaitingForCapacity");

    Set<String> series = Dashboards.scraped(STAGE.page("/metrics"));
    Set<String> wanted = Dashboards.series();

    assertThat(wanted).hasSizeGreaterThan(25);
    wanted.removeIf(name -> name.startsWith("muster_node_avoiding_gangs"));
    assertThat(series).containsAll(wanted);
  }

  @Test
  void invalid_policy_file_keeps_the_last_good_policy_until_a_valid_one() throws IOException {
    nodes("reload", 1);
    Files.writeString(policy, AT_ONCE.replace("action: Allow", "action: Perhaps"));
    await("the bad file is seen")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.page("/metrics").contains("muster_policy_last_reload_successful 0"));
    gangs.create("low", 1, 8);
    runs("low", 1);
    gangs.create("urgent", 1, 8, 100);
    runs("urgent", 1); // by the last good one

    Files.writeString(
        policy, AT_ONCE.replace("kind: PreemptionPolicy", "kind: PreemptionPolicy\nmode: Off"));
    await("the good file is in force")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.page("/metrics").contains("muster_policy_last_reload_successful 1"));
    gangs.create("higher", 1, 8, 200);
    gangs.awaitReason("higher", "WaitingForCapacity");
    await("nobody is stopped")
        .during(Duration.ofSeconds(6))
        .atMost(Duration.ofSeconds(10))
        .until(() -> gangs.inPhase("urgent", "Running") == 1);
  }

  @Test
  void ledger_can_be_queried() throws IOException {
    nodes("ledger", 1);
    gangs.create("low", 1, 8);
    runs("low", 1);
    gangs.create("urgent", 1, 8, 100);
    runs("urgent", 1);

    assertThat(STAGE.page("/api/v1/preemptions"))
        .contains("\"act\":\"decided\",\"gang\":\"default/urgent\"")
        .contains("\"act\":\"evicted\",\"gang\":\"default/low\"");
    assertThat(Files.readString(ledger)).contains("\"gang\":\"default/low\"");
  }
}
