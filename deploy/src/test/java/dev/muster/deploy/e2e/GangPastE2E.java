package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// What a gang did before counts, although its pods do not show it: after a restart, and for pods
/// that cannot end.
class GangPastE2E {
  private static final Duration REPAIR = Duration.ofSeconds(8);

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .with(
              "gangs: {repairTimeout: 8s}\nqueues: [{name: default, maximum: {gpus: 32}}, {name: capped, maximum: {gpus: 16}}]");

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @Test
  void raised_minimum_and_a_restart_stop_no_running_member() {
    createNodes("grow-a", "grow-b");
    gangs.create("grown", 2, 8);
    gangs.awaitRunning("grown", 2);
    awaitAnnotation("grown", "2");
    String first = uid("grown-0");
    gangs.raise("grown", 4);
    gangs.createMember("grown", 2, 8);
    gangs.createMember("grown", 3, 8);

    STAGE.killMuster();
    STAGE.startMuster();
    pass(REPAIR.plusSeconds(5));

    assertThat(gangs.inPhase("grown", "Running")).isEqualTo(2);
    assertThat(uid("grown-0")).isEqualTo(first);
    assertThat(condition("grown-2")).doesNotContain("repairTimeout");
  }

  @Test
  void gang_of_a_job_with_a_time_to_live_stays_finished() {
    createNodes("ttl-a", "ttl-b");
    gangs.declare("brief", 2);
    STAGE.admin().resource(brief()).create();
    awaitFinished();
    await("pods deleted by the controller")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.members("brief").isEmpty());

    STAGE.killMuster();
    STAGE.startMuster();
    pass(Duration.ofSeconds(3)); // longer than a status takes to be written

    awaitFinished();
    assertThat(gangs.status("brief", "succeeded")).isEqualTo("2");
    assertThat(STAGE.page("/metrics")).contains("muster_gangs{phase=\"gathering\"} 0");
    assertThat(STAGE.page("/api/v1/gangs")).contains("\"phase\":\"Leaving\"");
  }

  @Test
  void replacement_of_a_pod_on_a_dead_node_starts_within_the_maximum() {
    createNodes("dead-a", "dead-b", "dead-c");
    gangs.declareIn("capped", "capped", 2);
    gangs.createMember("capped", 0, 8);
    gangs.createMember("capped", 1, 8);
    gangs.awaitRunning("capped", 2);
    String healthy = uid("capped-0");
    String dead = cluster.nodeOf("capped-1").orElseThrow();

    cluster.setKubeletAlive(dead, false);
    cluster.delete("capped-1");
    gangs.createMember("capped", 2, 8);

    cluster.awaitRunning("capped-2");
    assertThat(cluster.find("capped-1")).isPresent();
    pass(REPAIR.plusSeconds(2));
    assertThat(uid("capped-0")).isEqualTo(healthy);
    assertThat(cluster.nodeOf("capped-2")).isPresent().isNotEqualTo(cluster.nodeOf("capped-0"));
    cluster.setKubeletAlive(dead, true);
  }

  @Test
  void replacement_without_a_place_tells_when_its_gang_is_released() {
    createNodes("drain-a", "drain-b");
    gangs.create("drained", 2, 8);
    gangs.awaitRunning("drained", 2);
    cluster.cordon(cluster.nodeOf("drained-1").orElseThrow(), true);
    cluster.delete("drained-1");
    cluster.awaitGone("drained-1");
    gangs.createMember("drained", 2, 8);

    await("its condition")
        .atMost(TestCluster.WAIT)
        .until(
            () -> condition("drained-2").matches("(?s).*until 20\\d\\d-.*Z \\(repairTimeout\\).*"));
    await("its Event")
        .atMost(TestCluster.WAIT)
        .until(() -> events("drained-2").contains("repairTimeout"));
    await("the release").atMost(TestCluster.WAIT).until(() -> cluster.find("drained-0").isEmpty());
  }

  private static io.fabric8.kubernetes.api.model.batch.v1.Job brief() {
    PodBuilder pod = TestCluster.gpuPod("unused", 8);
    return new JobBuilder()
        .withNewMetadata()
        .withName("brief")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withTtlSecondsAfterFinished(2)
        .withParallelism(2)
        .withCompletions(2)
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(Map.of(TestGangs.LABEL, "brief"))
        .withAnnotations(Map.of(TestCluster.RUN_FOR, "1s"))
        .endMetadata()
        .withSpec(pod.editSpec().withRestartPolicy("Never").endSpec().buildSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  private void awaitFinished() {
    await("Finished")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.status("brief", "phase").equals("Finished"));
  }

  private void awaitAnnotation(String gang, String minimum) {
    await("recorded minimum")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.annotation(gang, "muster.dev/ran-with").equals(minimum));
  }

  private static void pass(Duration time) {
    await("time to pass").pollDelay(time).atMost(time.plusSeconds(5)).until(() -> true);
  }

  private String uid(String pod) {
    return cluster.find(pod).orElseThrow().getMetadata().getUid();
  }

  private String condition(String pod) {
    return cluster.find(pod).stream()
        .flatMap(found -> found.getStatus().getConditions().stream())
        .filter(c -> c.getType().equals("muster.dev/Admitted"))
        .map(c -> c.getReason() + ": " + c.getMessage())
        .findFirst()
        .orElse("");
  }

  private String events(String pod) {
    return STAGE.admin().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> event.getRegarding().getName().equals(pod))
        .map(event -> event.getNote())
        .toList()
        .toString();
  }

  private void createNodes(String... names) {
    for (String name : names) {
      cluster.createNodes(NodeShape.withGpus(name, 8));
    }
  }
}
