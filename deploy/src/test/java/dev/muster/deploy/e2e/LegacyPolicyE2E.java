package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// An old kube-scheduler without scheduling gates calls Muster, configured by a Policy file.
class LegacyPolicyE2E {
  private static final String PREEMPTION =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicy
      rules:
        - {name: higher-priority, when: preemptor.priority > victim.priority, action: Allow}
      protect:
        - {name: kept, victims: {labels: {keep: "yes"}}}
      limits: {cooldown: 2s, evictionsPerHour: 10000, maxPreemptions: {count: 1000, per: 1h}}
      """;

  private static final String PREEMPT_CALLS =
      "muster_http_request_duration_seconds_count{endpoint=\"preempt\"";

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .withLegacyScheduler()
          .with(RackScenarios.TOPOLOGY + "\npreemption: {policy: '%s'}".formatted(written()));

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  private static Path written() {
    Path folder = Path.of("target", "e2e", "legacy-policy").toAbsolutePath();
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("policy.yaml"), PREEMPTION);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeEach
  void createPriorities() {
    new TestPriorities(STAGE.admin()).create(100);
  }

  @Nested
  class LonePods extends LonePodScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Nested
  class Racks extends RackScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Nested
  class Membership extends MembershipScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Nested
  class OwnPreemption extends OwnPreemptionScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Test
  void gang_waits_until_it_fits_whole_and_then_starts_without_delay() {
    cluster.createNodes(NodeShape.withGpus("fit-a", 8));
    gangs.create("whole", 2, 8);
    gangs.awaitReason("whole", "ImpossibleRequest");
    assertThat(gangs.bound("whole")).isZero();

    cluster.createNodes(NodeShape.withGpus("fit-b", 8));

    // Muster asks again after 15 s: all that is shorter was not owed to that.
    await("it starts")
        .atMost(Duration.ofSeconds(12))
        .until(() -> gangs.inPhase("whole", "Running") == 2);
  }

  @Test
  void pod_with_zero_gpu_request_runs_beside_gpu_pods() {
    cluster.createNodes(
        NodeShape.withGpus("gpus", 8),
        new NodeShape(
            "plain",
            Map.of("kubernetes.io/hostname", "plain"),
            Map.of("cpu", "2", "memory", "4Gi", "pods", "110")));

    cluster.create(gpuPod("none", 0));

    cluster.awaitRunning("none");
    assertThat(cluster.nodeOf("none"))
        .as("kube-scheduler alone would take the emptier node")
        .contains("plain");
  }

  @Test
  void gang_preempts_one_lower_gang_whole() {
    cluster.createNodes(NodeShape.withGpus("stop-a", 8), NodeShape.withGpus("stop-b", 8));
    gangs.create("low-a", 2, 4);
    gangs.create("low-b", 2, 4);
    gangs.awaitRunning("low-a", 2);
    gangs.awaitRunning("low-b", 2);

    gangs.create("urgent", 2, 4, 100);

    gangs.awaitRunning("urgent", 2);
    assertThat(gangs.inPhase("low-a", "Running") + gangs.inPhase("low-b", "Running")).isEqualTo(2);
    assertThat(gangs.inPhase("low-a", "Running")).isIn(0L, 2L);
  }

  @Test
  void kube_scheduler_preempts_no_pod_for_pods_held_by_muster() {
    cluster.createNodes(NodeShape.withGpus("held", 8), NodeShape.withGpus("free", 4));
    cluster.create(kept(gpuPod("kept", 8)));
    cluster.awaitRunning("kept");

    String before = preemptCalls();
    gangs.create("urgent", 2, 4, 100);
    await("kube-scheduler asks whether it may")
        .atMost(TestCluster.WAIT)
        .until(() -> !preemptCalls().equals(before));

    await("it stays")
        .during(Duration.ofSeconds(5))
        .atMost(Duration.ofSeconds(10))
        .until(() -> gangs.bound("urgent") == 0 && "Running".equals(phase("kept")));
  }

  private static String preemptCalls() {
    return STAGE
        .page("/metrics")
        .lines()
        .filter(line -> line.startsWith(PREEMPT_CALLS))
        .collect(Collectors.joining());
  }

  private String phase(String pod) {
    return cluster.find(pod).map(p -> p.getStatus().getPhase()).orElse("gone");
  }

  private static PodBuilder kept(PodBuilder pod) {
    return pod.editMetadata().addToLabels("keep", "yes").endMetadata();
  }
}
