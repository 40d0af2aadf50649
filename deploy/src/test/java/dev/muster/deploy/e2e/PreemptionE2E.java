package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Gangs of higher priority preempt lower ones by the policy in a file.
class PreemptionE2E extends PreemptionScene {
  private static final String NAME = "preemption-policy";

  @RegisterExtension static final TestStage STAGE = stage(NAME);

  PreemptionE2E() {
    super(STAGE, NAME);
  }

  @Test
  void gang_of_four_by_eight_preempts_exactly_one_lower_gang() {
    nodes("one", 8);
    gangs.create("wide", 4, 8);
    runs("wide", 4);
    gangs.create("low-a", 2, 8);
    gangs.create("low-b", 2, 8);
    runs("low-a", 2);
    runs("low-b", 2);
    var room = gangs.nodes("wide");

    gangs.create("urgent", 4, 8, 100);

    runs("urgent", 4);
    assertThat(gangs.nodes("urgent")).isEqualTo(room);
    assertThat(gangs.inPhase("low-a", "Running") + gangs.inPhase("low-b", "Running")).isEqualTo(4);
    assertThat(gangs.annotation("wide", "muster.dev/preempted-by"))
        .contains("\"by\":\"default/urgent\"", "\"rule\":\"higher-priority\"");
  }

  @Test
  void no_pod_is_preempted_for_a_pod_that_would_still_not_fit() {
    nodes("keep", 4);
    IntStream.range(0, 4).forEach(i -> gangs.create("high" + i, 1, 6, 200));
    IntStream.range(0, 4).forEach(i -> runs("high" + i, 1));
    IntStream.range(0, 8).forEach(i -> cluster.create(gpuPod("small" + i, 1)));
    cluster.awaitRunning(IntStream.range(0, 8).mapToObj(i -> "small" + i).toArray(String[]::new));

    cluster.create(TestPriorities.of(gpuPod("whole", 8), 100));
    gangs.awaitPodReason("whole", "WaitingForCapacity");

    await("still there after several looks")
        .during(Duration.ofSeconds(8))
        .atMost(Duration.ofSeconds(12))
        .until(() -> running("small") == 8);
  }

  @Test
  void gang_with_exhausted_disruption_budget_is_spared_for_another() {
    nodes("budget", 2);
    gangs.create("guarded", 1, 8);
    runs("guarded", 1);
    gangs.create("other", 1, 8);
    runs("other", 1);
    STAGE
        .admin()
        .resource(
            new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withName("guarded")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withMaxUnavailable(new IntOrString(0))
                .withNewSelector()
                .withMatchLabels(Map.of(TestGangs.LABEL, "guarded"))
                .endSelector()
                .endSpec()
                .build())
        .create();

    gangs.create("urgent", 1, 8, 100);

    runs("urgent", 1);
    assertThat(gangs.inPhase("guarded", "Running")).isEqualTo(1);
    STAGE.admin().policy().v1().podDisruptionBudget().inNamespace("default").delete();
  }

  @Test
  void victim_that_ignores_sigterm_gets_its_grace_period() {
    nodes("slow", 1);
    gangs.declare("slow", 1);
    cluster.create(
        TestGangs.member("slow", 0, 8)
            .editMetadata()
            .addToAnnotations(TestCluster.TERMINATE_AFTER, "6s")
            .endMetadata());
    runs("slow", 1);

    gangs.create("urgent", 1, 8, 100);

    await("terminating")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.members("slow").getFirst().getMetadata().getDeletionTimestamp() != null);
    assertThat(gangs.bound("urgent")).isZero();
    runs("urgent", 1);
  }

  @Test
  void victim_on_a_dead_node_is_given_up_for_another() {
    nodes("stuck", 2);
    for (String low : List.of("low-a", "low-b")) {
      gangs.declare(low, 1);
      cluster.create(
          TestGangs.member(low, 0, 8)
              .editMetadata()
              .addToAnnotations(TestCluster.TERMINATE_AFTER, "6s")
              .endMetadata());
      runs(low, 1);
    }

    gangs.create("urgent", 1, 8, 100);
    String first =
        await("the first victim")
            .atMost(TestCluster.WAIT)
            .until(
                () -> Stream.of("low-a-0", "low-b-0").filter(this::isTerminating).findFirst(),
                Optional::isPresent)
            .orElseThrow();
    String node = cluster.nodeOf(first).orElseThrow();
    cluster.setKubeletAlive(node, false);

    await("urgent runs elsewhere")
        .atMost(Duration.ofMinutes(2))
        .until(() -> gangs.inPhase("urgent", "Running") == 1);
    assertThat(isTerminating(first)).isTrue();
    assertThat(gangs.nodes("urgent")).doesNotContain(node);
    cluster.setKubeletAlive(node, true);
  }

  private boolean isTerminating(String pod) {
    return cluster
        .find(pod)
        .filter(p -> p.getMetadata().getDeletionTimestamp() != null)
        .isPresent();
  }

  @Test
  void victim_that_acknowledges_its_notice_leaves_before_the_deadline() {
    nodes("told", 1);
    gangs.declare("told", 1);
    gangs.label("told", Map.of("told", "first"));
    cluster.create(TestGangs.member("told", 0, 8));
    runs("told", 1);

    gangs.create("urgent", 1, 8, 100);
    String deadline =
        await("the notice")
            .atMost(TestCluster.WAIT)
            .until(() -> deadline("told-0"), text -> !text.isEmpty());
    assertThat(gangs.inPhase("told", "Running")).isEqualTo(1);
    STAGE
        .admin()
        .pods()
        .inNamespace("default")
        .withName("told-0")
        .edit(pod ->
            new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations("muster.dev/preemption-acknowledged", deadline)
                .endMetadata()
                .build());

    await("it leaves at once")
        .atMost(Duration.ofSeconds(12))
        .until(() -> gangs.inPhase("urgent", "Running") == 1);
  }

  private String deadline(String pod) {
    return cluster
        .find(pod)
        .map(p -> p.getMetadata().getAnnotations())
        .map(all -> all.getOrDefault("muster.dev/preemption-deadline", ""))
        .orElse("");
  }

  @Test
  void victim_is_spared_when_the_preemptor_is_withdrawn() {
    nodes("spared", 1);
    gangs.declare("told", 1);
    gangs.label("told", Map.of("told", "first"));
    cluster.create(TestGangs.member("told", 0, 8));
    runs("told", 1);
    gangs.create("urgent", 1, 8, 100);
    await("the notice").atMost(TestCluster.WAIT).until(() -> !deadline("told-0").isEmpty());

    gangs.deleteMembers("urgent");

    await("the notice taken back")
        .atMost(TestCluster.WAIT)
        .until(() -> deadline("told-0").isEmpty());
    assertThat(gangs.inPhase("told", "Running")).isEqualTo(1);
  }

  @Test
  void capacity_of_terminating_victims_passes_to_others_when_the_preemptor_is_withdrawn() {
    nodes("withdrawn", 1);
    gangs.declare("slow", 1);
    cluster.create(
        TestGangs.member("slow", 0, 8)
            .editMetadata()
            .addToAnnotations(TestCluster.TERMINATE_AFTER, "6s")
            .endMetadata());
    runs("slow", 1);
    gangs.create("urgent", 1, 8, 100);
    await("terminating")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.members("slow").getFirst().getMetadata().getDeletionTimestamp() != null);

    gangs.deleteMembers("urgent");
    gangs.create("next", 1, 8);

    runs("next", 1);
    await("nothing under way any more")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.page("/api/v1/preemptions").contains("\"items\":[]"));
  }

  @Test
  void recreated_victim_does_not_take_the_released_capacity() {
    nodes("job", 1);
    gangs.declare("again", 2);
    STAGE
        .admin()
        .resource(
            new JobBuilder()
                .withNewMetadata()
                .withName("again")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withParallelism(2)
                .withCompletions(2)
                .withBackoffLimit(100)
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(Map.of(TestGangs.LABEL, "again"))
                .endMetadata()
                .withSpec(
                    gpuPod("again", 4).editSpec().withRestartPolicy("Never").endSpec().buildSpec())
                .endTemplate()
                .endSpec()
                .build())
        .create();
    runs("again", 2);

    gangs.create("urgent", 2, 4, 100);

    runs("urgent", 2);
    await("made again, and waiting").atMost(TestCluster.WAIT).until(() -> waiting("again") == 2);
    assertThat(gangs.inPhase("urgent", "Running")).isEqualTo(2);
  }

  private long waiting(String gang) {
    return gangs.members(gang).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> "Pending".equals(pod.getStatus().getPhase()))
        .count();
  }

  @Test
  void eviction_interrupted_by_a_kill_is_completed() {
    nodes("kill", 2);
    gangs.declare("half", 2);
    for (int i = 0; i < 2; i++) {
      cluster.create(
          TestGangs.member("half", i, 8)
              .editMetadata()
              .addToAnnotations(TestCluster.TERMINATE_AFTER, (i * 8) + "s")
              .endMetadata());
    }
    runs("half", 2);
    gangs.create("urgent", 2, 8, 100);
    await("one gone, one terminating")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.members("half").size() == 1);

    STAGE.killMuster();
    STAGE.startMuster();

    runs("urgent", 2);
    assertThat(gangs.members("half")).isEmpty();
  }
}
