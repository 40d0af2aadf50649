package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.client.KubeSettings;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Pods of a watched owner form a gang, and a PodGroup is requested for it.
@Timeout(60)
class OwnerInboxTest extends KubeInboxScene {
  private static final ResourceDefinitionContext JOB_SETS =
      new ResourceDefinitionContext.Builder()
          .withGroup("jobset.x-k8s.io")
          .withVersion("v1alpha2")
          .withKind("JobSet")
          .withPlural("jobsets")
          .withNamespaced(true)
          .build();

  private void jobSet() {
    client
        .genericKubernetesResources(JOB_SETS)
        .inNamespace("ml")
        .resource(
            read(
                """
                apiVersion: jobset.x-k8s.io/v1alpha2
                kind: JobSet
                metadata: {namespace: ml, name: train}
                spec:
                  replicatedJobs:
                  - name: workers
                    replicas: 4
                    template:
                      spec:
                        template:
                          spec:
                            containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]
                """,
                GenericKubernetesResource.class))
        .create();
  }

  private void pod() {
    client
        .resource(
            read(
                """
                apiVersion: v1
                kind: Pod
                metadata:
                  namespace: ml
                  name: train-workers-0-0-x7k2p
                  labels:
                    jobset.sigs.k8s.io/jobset-name: train
                    jobset.sigs.k8s.io/replicatedjob-name: workers
                  ownerReferences:
                  - {apiVersion: batch/v1, kind: Job, name: train-workers-0, uid: j0, controller: true}
                spec:
                  schedulerName: default-scheduler
                  containers: [{name: c, resources: {limits: {nvidia.com/gpu: "8"}, requests: {nvidia.com/gpu: "8"}}}]
                """,
                Pod.class))
        .create();
  }

  @Test
  void pod_of_a_job_set_is_a_member_and_its_pod_group_is_requested() {
    served.add("jobset.x-k8s.io/v1alpha2/JobSet");
    jobSet();
    pod();
    start();

    await().until(() -> image().gang(gang("jobset-train")).members().keys().size() == 1);
    await().until(() -> !wanted.isEmpty());
    assertThat(wanted.getFirst().minimum()).isEqualTo(4);
  }

  @Test
  void pod_that_is_read_before_the_owners_are_listed_becomes_a_member() {
    settings =
        new KubeSettings(
            SETTINGS.accelerators(),
            SETTINGS.schedulerNames(),
            SETTINGS.faultConditions(),
            Duration.ofHours(1));
    served.add("jobset.x-k8s.io/v1alpha2/JobSet");
    serves =
        kind -> {
          if (kind.endsWith("/JobSet")) {
            await().until(() -> mailbox.depth() > 0); // the pod
          }
          return served.contains(kind);
        };
    jobSet();
    pod();
    start();

    await().until(() -> inbox.orElseThrow().isSynced());
    await().until(() -> image().gang(gang("jobset-train")).members().keys().size() == 1);
  }

  /// Starts with a list of JobSets that fails for longer than scheduling waits for it.
  private void startWithout(int code) {
    served.add("jobset.x-k8s.io/v1alpha2/JobSet");
    api.refuse("/apis/jobset.x-k8s.io/v1alpha2/jobsets", code);
    jobSet();
    pod();
    start();
    ahead = Duration.ofSeconds(11);
    await().until(() -> inbox.orElseThrow().isSynced() && !image().gangs().isEmpty());
  }

  @Test
  void pod_waits_for_its_gang_while_the_list_of_its_kind_fails() {
    startWithout(500);

    assertThat(image().gang(gang("jobset-train")).members().keys().size()).isEqualTo(1);
  }

  @Test
  void pod_is_alone_where_its_kind_may_not_be_read() {
    startWithout(403);

    await().until(() -> image().gang(gang("jobset-train")).members().keys().isEmpty());
  }

  @Test
  void pod_of_an_owner_that_does_not_exist_is_alone_after_a_while() {
    served.add("jobset.x-k8s.io/v1alpha2/JobSet");
    pod();
    start();
    await().until(() -> image().gang(gang("jobset-train")).members().keys().size() == 1);
    ahead = Duration.ofSeconds(11);

    await().until(() -> image().gang(gang("jobset-train")).members().keys().isEmpty());
  }

  @Test
  void owner_may_come_after_its_pod() {
    served.add("jobset.x-k8s.io/v1alpha2/JobSet");
    pod();
    start();
    await().until(() -> image().gang(gang("jobset-train")).members().keys().size() == 1);
    jobSet();

    await().until(() -> !wanted.isEmpty());
    assertThat(wanted.getFirst().gang()).isEqualTo(gang("jobset-train"));
  }

  @Test
  void pod_is_alone_where_the_kind_of_its_owner_is_not_served() {
    pod();
    start();

    await().until(() -> inbox.orElseThrow().isSynced() && !image().gangs().isEmpty());
    assertThat(image().gang(gang("jobset-train")).members().keys()).isEmpty();
  }

  @Test
  void namespace_can_be_switched_off_later() {
    served.add("jobset.x-k8s.io/v1alpha2/JobSet");
    pod();
    start();
    await().until(() -> image().gang(gang("jobset-train")).members().keys().size() == 1);
    client
        .resource(
            read(
                """
                apiVersion: v1
                kind: Namespace
                metadata: {name: ml, labels: {muster.dev/owner-gangs: disabled}}
                """,
                Namespace.class))
        .create();

    await().until(() -> image().gang(gang("jobset-train")).members().keys().isEmpty());
  }
}
