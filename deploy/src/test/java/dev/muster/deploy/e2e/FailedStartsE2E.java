package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Promised nodes on which members cannot start.
class FailedStartsE2E {
  private static final int PORT = 8080;
  private static final Duration WAIT = Duration.ofSeconds(90);

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  @ParameterizedTest
  @ValueSource(strings = {"PreemptLowerPriority", "Never"})
  void gang_moves_to_the_node_with_a_free_port(String preemption) {
    cluster.createNodes(
        NodeShape.withGpus("port-a", 4), // fits best, so it is promised first
        NodeShape.withGpus("port-b", 8));
    String name = "port-" + preemption.toLowerCase(Locale.ROOT);
    STAGE
        .admin()
        .resource(
            new PriorityClassBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withValue(1_000)
                .withPreemptionPolicy(preemption)
                .build())
        .createOr(NonDeletingOperation::update);
    cluster.create(owner("owner-a", "port-a"));
    cluster.awaitRunning("owner-a");

    gangs.declare("server", 1);
    cluster.create(
        withPort(TestGangs.member("server", 0, 4))
            .editSpec()
            .withPriorityClassName(name)
            .endSpec());

    await("the member runs")
        .atMost(WAIT)
        .until(() -> gangs.inPhase("server", "Running"), running -> running == 1);
    assertThat(gangs.nodes("server")).containsExactly("port-b");
    assertThat(cluster.find("owner-a")).as("nobody is preempted for a port").isPresent();
    assertThat(notes("PodGroup", "server", "NodeAvoided"))
        .first()
        .satisfies(note ->
            assertThat(note)
                .startsWith(
                    "kube-scheduler refused a member on port-a: node(s) didn't have free ports"));
    assertThat(STAGE.page("/api/v1/gangs"))
        .contains("\"avoidedNodes\":[{\"node\":\"port-a\",\"cause\":\"Refused\"");
    assertThat(STAGE.page("/metrics")).contains("muster_node_avoiding_gangs{node=\"port-a\"} 1");
  }

  @Test
  void sentence_of_a_gang_names_the_missing_claim() {
    cluster.createNodes(NodeShape.withGpus("pvc-a", 4));
    gangs.declare("volume", 1);
    cluster.create(
        TestGangs.member("volume", 0, 4)
            .editSpec()
            .addNewVolume()
            .withName("data")
            .withNewPersistentVolumeClaim("absent", false)
            .endVolume()
            .endSpec());

    String words = "persistentvolumeclaim \"absent\" not found";
    await("the sentence of the PodGroup")
        .atMost(WAIT)
        .until(() -> String.join(" ", sentences("volume")), said -> said.contains(words));
    String avoided = gangs.awaitReason("volume", "AvoidedNodes");
    assertThat(avoided)
        .startsWith("It fits only with nodes that it avoids for a time (pvc-a).")
        .contains(words);
    assertThat(notes("PodGroup", "volume", "NodeAvoided"))
        .singleElement()
        .satisfies(note -> assertThat(note).contains(words));
    assertThat(STAGE.page("/api/v1/gangs")).contains("\"cause\":\"Refused\"");
    assertThat(STAGE.page("/metrics")).contains("muster_node_avoiding_gangs{node=\"pvc-a\"} 1");
  }

  @Test
  void job_whose_pods_die_at_once_tries_the_third_node() {
    cluster.createNodes(
        NodeShape.withGpus("die-a", 4),
        NodeShape.withGpus("die-b", 4),
        NodeShape.withGpus("die-c", 4));
    gangs.declare("dying", 2);
    Pod template =
        TestGangs.member("dying", 0, 4)
            .editMetadata()
            .addToAnnotations(Map.of(TestCluster.FAIL_AFTER, "200ms"))
            .endMetadata()
            .editSpec()
            .withRestartPolicy("Never")
            .endSpec()
            .build();
    STAGE
        .admin()
        .resource(
            new JobBuilder()
                .withNewMetadata()
                .withName("dying")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withParallelism(2)
                .withCompletions(2)
                .withBackoffLimit(100)
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(template.getMetadata().getLabels())
                .withAnnotations(template.getMetadata().getAnnotations())
                .endMetadata()
                .withSpec(template.getSpec())
                .endTemplate()
                .endSpec()
                .build())
        .create();
    Set<String> tried = new ConcurrentSkipListSet<>();
    await("all nodes are tried")
        .atMost(WAIT.multipliedBy(2)) // the Job waits 10 s, then twice as long after each failure
        .until(
            () -> {
              tried.addAll(gangs.nodes("dying"));
              return tried.size();
            },
            size -> size == 3);
    assertThat(notes("PodGroup", "dying", "NodeAvoided"))
        .anySatisfy(note -> assertThat(note).startsWith("Members on die-"));
  }

  private static PodBuilder withPort(PodBuilder pod) {
    return pod.editSpec()
        .editFirstContainer()
        .addNewPort()
        .withContainerPort(PORT)
        .withHostPort(PORT)
        .endPort()
        .endContainer()
        .endSpec();
  }

  /// A pod without GPU and of the lowest priority that has the port.
  private static PodBuilder owner(String name, String node) {
    return withPort(TestCluster.gpuPod(name, 0))
        .editSpec()
        .editFirstContainer()
        .withNewResources()
        .addToRequests("cpu", Quantity.parse("1"))
        .endResources()
        .endContainer()
        .withNodeName(node)
        .endSpec();
  }

  private List<String> sentences(String gang) {
    return STAGE
        .admin()
        .genericKubernetesResources("scheduling.x-k8s.io/v1alpha1", "PodGroup")
        .inNamespace("default")
        .withName(gang)
        .get()
        .getAdditionalProperties()
        .values()
        .stream()
        .map(String::valueOf)
        .toList();
  }

  private List<Event> events(String kind, String name, String reason) {
    return STAGE.admin().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> reason.equals(event.getReason()))
        .filter(event -> kind.equals(event.getRegarding().getKind()))
        .filter(event -> name.equals(event.getRegarding().getName()))
        .toList();
  }

  private List<String> notes(String kind, String name, String reason) {
    await(reason + " of " + name).atMost(WAIT).until(() -> !events(kind, name, reason).isEmpty());
    return events(kind, name, reason).stream().map(Event::getNote).toList();
  }
}
