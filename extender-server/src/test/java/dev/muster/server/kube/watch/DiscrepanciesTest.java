package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Objects of a gang that do not count are passed on, so that its status can name them.
class DiscrepanciesTest extends ChangeFilterScene {
  private static final GangId TRAIN = new GangId("ml", Origin.POD_GROUP, "train");

  private final List<ObjectProblem> reported = new ArrayList<>();
  private final PodSink pods =
      new PodSink(
          CODEC,
          facts,
          new ObjectProblems(() -> true, reported::add),
          new OrphanedGates(_ -> {}),
          InstantSource.fixed(Instant.EPOCH));

  private void see(String name, String metadata, String spec) {
    pods.seen("ml/" + name, drawn(name, metadata, spec));
  }

  private static Pod drawn(String name, String metadata, String spec) {
    return Yaml.pod(
        """
        metadata: {namespace: ml, name: %s, uid: u-%s, %s}
        spec:
          containers: [{name: c, resources: {requests: {nvidia.com/gpu: "1"}}}]
          %s
        """
            .formatted(name, name, metadata, spec));
  }

  private static String named(String more) {
    return "labels: {scheduling.x-k8s.io/pod-group: train}" + more;
  }

  private void declare() {
    facts.gang(GangSpec.of(TRAIN, 2, "ml", Instant.EPOCH));
  }

  @Test
  void invalid_pod_group_is_a_gang_without_declaration() throws InterruptedException {
    facts.invalidGang(TRAIN, "wrong", false);
    assertThat(told()).isEqualTo("!gang:train(wrong){}");

    declare();
    assertThat(told()).isEqualTo("+gang:train !gang:train{}");

    facts.invalidGang(TRAIN, "wrong", true);
    assertThat(told()).isEqualTo("!gang:train(wrong){}");

    facts.noGang(TRAIN);
    assertThat(told()).isEqualTo("-gang:train !gang:train{}");
  }

  @Test
  void pods_of_another_scheduler_are_counted_for_the_gang_that_they_name()
      throws InterruptedException {
    declare();
    see("a", named(""), "schedulerName: kube-b");
    see("b", named(""), "schedulerName: kube-b");
    assertThat(told()).isEqualTo("+gang:train !gang:train{kube-b=1} !gang:train{kube-b=2}");

    pods.gone("ml/a");
    see("b", named(""), "schedulerName: kube-b\nstatus: {phase: Succeeded}");
    assertThat(told()).isEqualTo("!gang:train{kube-b=1} !gang:train{}");
  }

  @Test
  void pod_group_that_comes_after_the_pods_of_another_scheduler_tells_of_them()
      throws InterruptedException {
    see("a", named(""), "schedulerName: kube-b");
    assertThat(told()).isEmpty();
    declare();
    assertThat(told()).isEqualTo("+gang:train !gang:train{kube-b=1}");
  }

  @Test
  void invalid_pods_are_counted_for_their_gang() throws InterruptedException {
    declare();
    see(
        "a",
        named(", annotations: {muster.dev/runtime: 2hours, muster.dev/layout: spread}"),
        "schedulerName: default-scheduler");
    assertThat(told())
        .isEqualTo(
            "+gang:train !gang:train{}(a: The annotation muster.dev/layout is (spread); it must be packed or balanced. The annotation muster.dev/runtime is (2hours): \"2hours\" is not a duration. Write it like 30m, 1h30m or 45s.)");
  }

  @Test
  void mistakes_of_a_lone_pod_are_those_of_its_gang() throws InterruptedException {
    see("a", "annotations: {muster.dev/layout: spread}", "schedulerName: default-scheduler");
    assertThat(told())
        .isEqualTo(
            "+u-a@a !gang:a(The annotation muster.dev/layout is (spread); it must be packed or balanced.){}");
    pods.gone("ml/a");
    assertThat(told()).isEqualTo("-u-a@a !gang:a{}");
  }

  @Test
  void pods_of_another_scheduler_get_a_bounded_number_of_events() {
    for (int i = 0; i < 100; i++) {
      see("p" + i, named(""), "schedulerName: kube-b");
    }
    assertThat(reported).hasSize(ObjectProblems.AT_MOST);
    assertThat(reported.getFirst().reason()).isEqualTo("OtherScheduler");
    assertThat(reported.getFirst().message())
        .isEqualTo(
            "The pod names the gang train, but belongs to kube-b, which does not ask Muster. Set its schedulerName to default-scheduler.");
  }

  @Test
  void plain_pod_of_another_scheduler_is_told_if_it_has_a_key_of_muster() {
    see("a", "labels: {muster.dev/queue: nlp}", "schedulerName: kube-b");
    see("b", "labels: {app: web}", "schedulerName: kube-b");
    assertThat(reported)
        .extracting(ObjectProblem::message)
        .containsExactly(
            "The pod has muster.dev/queue, but belongs to kube-b, which does not ask Muster. Set its schedulerName to default-scheduler.");
  }

  private void seeWorker(String name, String owner, String labels) {
    see(
        name,
        "labels: {%s}, ownerReferences: [{apiVersion: v1, controller: true, uid: u-owner, %s}]"
            .formatted(labels, owner),
        "schedulerName: default-scheduler");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          'kind: StatefulSet, name: s'  | 'a: b'                                   | StatefulSet s         | s
          'kind: MPIJob, name: allred'  | 'training.kubeflow.org/replica-type: w'  | MPIJob allred         | allred
          'kind: Job, name: set-w-0'    | 'jobset.sigs.k8s.io/jobset-name: set'    | JobSet set            | set
          'kind: RayCluster, name: ray' | 'ray.io/cluster: ray'                    | RayCluster ray        | ray
          'kind: StatefulSet, name: l'  | 'leaderworkerset.sigs.k8s.io/name: lws'  | LeaderWorkerSet lws   | lws
          'kind: Simulation, name: sim' | 'a: b'                                   | Simulation sim        | sim
          'kind: PyTorchJob, name: pt'  | 'training.kubeflow.org/job-name: pt'     | training job pt       | pt
          """)
  void job_of_several_pods_without_gang_is_told_once_what_to_add(
      String owner, String labels, String job, String name) {
    seeWorker("a", owner, labels);
    assertThat(reported).as("one pod").isEmpty();
    for (int i = 0; i < 50; i++) {
      seeWorker("w" + i, owner, labels);
    }
    assertThat(reported)
        .hasSize(2)
        .allSatisfy(hint -> {
          assertThat(hint.reason()).isEqualTo("StartsOneByOne");
          assertThat(hint.message())
              .startsWith("The pods of the " + job + " name no gang")
              .contains("scheduling.x-k8s.io/pod-group: " + name, "PodGroup " + name);
        })
        .extracting(hint -> hint.object().uid())
        .containsExactlyInAnyOrder("u-owner", "u-w0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ReplicaSet", "DaemonSet", "ReplicationController", "Node"})
  void pods_that_serve_one_by_one_get_no_hint(String kind) {
    for (int i = 0; i < 3; i++) {
      seeWorker("s" + i, "name: web, kind: " + kind, "app: web");
    }
    assertThat(reported).isEmpty();
  }

  @Test
  void job_is_told_the_label_that_makes_it_a_gang() {
    for (int i = 0; i < 3; i++) {
      seeWorker("s" + i, "kind: Job, name: sweep", "a: b");
    }
    assertThat(reported)
        .hasSize(2)
        .extracting(ObjectProblem::message)
        .containsOnly(
            "The pods of the Job sweep name no gang, so they start one by one. If they must start together, add the label muster.dev/gang: \"true\" to the Job and to its template.");
  }

  @Test
  void job_whose_pods_name_a_gang_gets_no_hint() {
    for (int i = 0; i < 3; i++) {
      seeWorker("g" + i, "kind: Job, name: j", "scheduling.x-k8s.io/pod-group: train");
    }
    assertThat(reported).isEmpty();
  }

  @Test
  void pods_of_volcano_itself_are_left_alone() {
    see("a", "annotations: {scheduling.k8s.io/group-name: v}", "schedulerName: volcano");
    assertThat(reported).isEmpty();
  }
}
