package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.cluster.Event;
import dev.muster.server.kube.client.PodGroupDialect;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class KubeInboxTest extends KubeInboxScene {
  @Test
  void failing_task_does_not_throw() {
    start();
    Runnable task =
        inbox
            .orElseThrow()
            .guarded(() -> {
              throw new StackOverflowError("on purpose");
            });

    assertThatCode(task::run).doesNotThrowAnyException();
  }

  @Test
  void work_in_progress_at_shutdown_fails_silently() {
    start();
    KubeInbox ended = inbox.orElseThrow();
    ended.close();
    Logger logger = (Logger) LoggerFactory.getLogger(KubeInbox.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    logger.addAppender(told);
    ended
        .guarded(() -> {
          throw new IllegalStateException("Client already closed");
        })
        .run();
    logger.detachAppender(told);
    assertThat(told.list).isEmpty();
  }

  private NonNamespaceOperation<GenericKubernetesResource, ?, Resource<GenericKubernetesResource>>
      groups() {
    return client.genericKubernetesResources(PodGroupDialect.context(VERSION)).inNamespace("ml");
  }

  private void createGroup(String name, String spec) {
    groups()
        .resource(
            Yaml.group(
                """
                apiVersion: %s
                kind: PodGroup
                metadata: {namespace: ml, name: %s}
                spec: %s
                """
                    .formatted(VERSION, name, spec)))
        .create();
  }

  private void createPod(String name, String group, String node) {
    Pod pod =
        Yaml.pod(
            """
            metadata: {namespace: ml, name: %s, labels: {scheduling.x-k8s.io/pod-group: %s}}
            spec:
              schedulerName: default-scheduler
              volumes: [{name: v, emptyDir: {}}]
              containers: [{name: c, image: i, resources: {requests: {nvidia.com/gpu: "4"}}}]
              %s
            status: {phase: %s}
            """
                .formatted(name, group, node, node.isEmpty() ? "Pending" : "Running"));
    client.pods().inNamespace("ml").resource(pod).create();
  }

  private void createNode() {
    client.nodes().resource(Yaml.node(Yaml.file("node-h100.yaml"))).create();
  }

  @Test
  void standby_follows_all_facts_and_decides_nothing() {
    leads = false;
    createNode();
    start();
    await().until(() -> !image().nodes().isEmpty() && api.isWatched("/api/v1/nodes"));
    client.nodes().withName("gpu-07").delete();
    await().until(() -> image().nodes().isEmpty());
    assertThat(cluster.synced()).isFalse();

    leads = true;

    await().until(() -> image().synced());
  }

  @Test
  void malformed_objects_are_reported_by_the_leader_only() {
    leads = false;
    start();
    await()
        .until(() ->
            api.isWatched("/api/v1/nodes") && api.isWatched("/apis/" + VERSION + "/podgroups"));
    createGroup("train", "{minMember: -2}");
    createNode();
    await().until(() -> !image().nodes().isEmpty());
    assertThat(problems).isEmpty();

    leads = true;

    await().until(() -> problems.size() == 1);
  }

  @Test
  void no_time_passes_while_leadership_is_uncertain() {
    start();
    await().until(() -> image().synced() && ticks > 0);

    leads = false;
    await().pollDelay(Duration.ofSeconds(2)).until(() -> image().synced());
    int before = ticks;
    await().pollDelay(Duration.ofSeconds(3)).until(() -> image().synced());

    assertThat(ticks).isEqualTo(before);
  }

  @Test
  void existing_objects_precede_synced_and_changes_follow() {
    createNode();
    createGroup("train", "{minMember: 2}");
    createPod("train-0", "train", "nodeName: gpu-07");
    start();

    await().until(() -> image().synced());
    assertThat(events.getLast()).isInstanceOf(Event.Synced.class);
    assertThat(node().usedGpus()).isEqualTo(4);
    assertThat(cluster.gang(gang("train")).spec().orElseThrow().minCount()).isEqualTo(2);
    assertThat(cluster.gang(gang("train")).members().size()).isEqualTo(1);
    assertThat(inbox.orElseThrow().isWatching()).isTrue();
    assertThat(inbox.orElseThrow().objects().find(gang("train"))).isPresent();

    createPod("train-1", "train", "");
    await().until(() -> image().gang(gang("train")).members().size() == 2);
    client.pods().inNamespace("ml").withName("train-0").withGracePeriod(0).delete();
    await().until(() -> image().gang(gang("train")).members().size() == 1);
    assertThat(node().usedGpus()).isZero();
    groups().withName("train").delete();
    await().until(() -> image().gang(gang("train")).spec().isEmpty());
    client.nodes().withName("gpu-07").delete();
    await().until(() -> image().nodes().isEmpty());
  }

  @Test
  void running_pod_stays_in_its_gang_when_its_label_changes() {
    createPod("train-0", "train", "nodeName: gpu-07");
    start();
    await().until(() -> image().synced());

    client
        .pods()
        .inNamespace("ml")
        .withName("train-0")
        .edit(pod ->
            new PodBuilder(pod)
                .editMetadata()
                .addToLabels("scheduling.x-k8s.io/pod-group", "other")
                .endMetadata()
                .build());
    createPod("other-0", "other", "");

    await().until(() -> !image().gang(gang("other")).members().isEmpty());
    assertThat(cluster.gang(gang("train")).members().size()).isEqualTo(1);
    assertThat(cluster.gang(gang("other")).members().size()).isEqualTo(1);
  }

  @Test
  void malformed_pod_group_is_reported_and_hides_no_other() {
    createGroup("bad", "{minMember: four}");
    createGroup("good", "{minMember: 2}");
    start();

    await().until(() -> image().synced());
    assertThat(cluster.gang(gang("good")).spec()).isPresent();
    assertThat(cluster.gang(gang("bad")).spec()).isEmpty();
    assertThat(problems)
        .singleElement()
        .satisfies(problem -> assertThat(problem.object().name()).isEqualTo("bad"));

    groups()
        .withName("bad")
        .edit(group -> {
          group.setAdditionalProperty("spec", java.util.Map.of("minMember", 3));
          return group;
        });
    await().until(() -> image().gang(gang("bad")).spec().isPresent());
  }

  @Test
  void resync_repeats_no_event() {
    createNode();
    createPod("train-0", "train", "");
    start();
    await().until(() -> image().synced());
    int before = events.size();

    await()
        .during(Duration.ofMillis(1500))
        .atMost(Duration.ofSeconds(10))
        .until(() -> {
          image();
          return events.size() == before;
        });
  }

  @Test
  void changed_priority_class_updates_its_gangs() {
    createGroup("train", "{minMember: 2, priorityClassName: prod}");
    start();
    await().until(() -> image().synced());
    assertThat(cluster.gang(gang("train")).spec().orElseThrow().priority()).isEmpty();

    client.resource(read("metadata: {name: prod}\nvalue: 1000", PriorityClass.class)).create();
    await().until(() -> image().gang(gang("train")).priority() == 1000);
  }

  @Test
  void time_stops_while_the_api_server_is_away() {
    start();
    await().atMost(Duration.ofSeconds(30)).until(() -> image().synced());
    await().until(() -> inbox.orElseThrow().isWatching());

    api.shutdown();
    await().until(() -> !inbox.orElseThrow().isWatching());

    int atMost = ticksSoFar() + mailbox.depth() + 1; // one may be on its way
    await().during(Duration.ofMillis(2500)).until(() -> ticksSoFar() + mailbox.depth() <= atMost);
  }

  @Test
  void nothing_reaches_the_engine_while_the_api_server_is_away() {
    start();
    await().atMost(Duration.ofSeconds(30)).until(() -> image().synced());
    assertThat(mailbox.isHeld()).isFalse();

    api.shutdown();

    await().atMost(Duration.ofSeconds(20)).until(mailbox::isHeld);
    assertThat(inbox.orElseThrow().isWatching()).isFalse();
  }

  private int ticksSoFar() {
    image();
    return ticks;
  }
}
