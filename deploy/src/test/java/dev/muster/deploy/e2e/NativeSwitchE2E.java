package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Gangs are started by one native PodGroup, where kube-scheduler has the features on.
@EnabledIf(value = "isServed", disabledReason = "Tested with the native PodGroup of 1.36")
class NativeSwitchE2E {
  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().on(NativeSwitch::everywhere);

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();
  private final NativeSwitch switches = new NativeSwitch(STAGE);

  static boolean isServed() {
    return NativeSwitch.isServed();
  }

  @BeforeEach
  void awaitNative() {
    switches.awaitHold("native");
  }

  @Test
  void gang_starts_whole_by_one_write_and_no_patch_of_its_pods() {
    createNodes("one-a", "one-b");
    Requests before = written();

    gangs.create("eight", 8, 2);
    gangs.awaitRunning("eight", 8);
    await("the record is removed")
        .atMost(TestCluster.WAIT)
        .until(() -> gangs.annotation("eight", "muster.dev/reservation").isEmpty());

    Map<String, Long> writes = written().since(before).counts();
    System.out.println("Writes of a gang of 8: " + writes);
    assertThat(writes)
        .containsEntry("POST pods/binding 201", 8L)
        .containsEntry("PATCH pods/status 200", 8L) // those of the kubelets
        .doesNotContainKey("PATCH pods 200");
    assertThat(gangs.nodes("eight")).hasSize(2);
    switches.awaitOn("eight.p0.gang.muster.dev");
  }

  @Test
  void incomplete_gang_is_kept_without_a_word_of_kube_scheduler() {
    createNodes("few-a", "few-b");
    gangs.declare("few", 8);
    IntStream.range(0, 7).forEach(i -> gangs.createMember("few", i, 2));
    gangs.awaitReason("few", "WaitingForMembers");

    assertThat(gangs.members("few"))
        .hasSize(7)
        .allMatch(pod -> NativeSwitch.named(pod).equals("few.p0.gang.muster.dev"))
        .allMatch(pod -> pod.getSpec().getSchedulingGates().isEmpty())
        .noneMatch(NativeSwitchE2E::wasTried);
    assertThat(switches.on()).isEmpty();
    gangs.createMember("few", 7, 2);

    gangs.awaitRunning("few", 8);
  }

  @Test
  void gang_that_loses_a_node_after_the_switch_is_kept_again() {
    createNodes("lost-a", "lost-b");
    startWithoutScheduler("lost", 2);
    String first = switches.uid("lost.p0.gang.muster.dev");

    cluster.deleteNode("lost-b");
    gangs.awaitReason("lost", "ImpossibleRequest");
    switches.awaitOn();
    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);
    cluster.create(TestCluster.gpuPod("heir", 8));
    cluster.awaitRunning("heir"); // kube-scheduler has come to all pods that it may try
    assertThat(gangs.members("lost")).hasSize(2).noneMatch(NativeSwitchE2E::wasTried);
    createNodes("lost-c", "lost-d");

    gangs.awaitRunning("lost", 2);
    assertThat(switches.uid("lost.p0.gang.muster.dev")).isNotEmpty().isNotEqualTo(first);
    assertThat(gangs.nodes("lost")).containsExactlyInAnyOrder("lost-c", "lost-d");
  }

  @Test
  void gang_moves_when_kube_scheduler_refuses_a_promised_node() {
    createNodes("full-a", "full-b", "full-c");
    startWithoutScheduler("moved", 2);
    String refused = gangs.promised("moved", 0);
    String kept = gangs.promised("moved", 1);
    // Pods of other schedulers take the CPUs of a node, as only kube-scheduler sees at its start.
    cluster.create(busy("thief", refused));
    cluster.awaitRunning("thief");
    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);

    gangs.awaitRunning("moved", 2);

    assertThat(gangs.nodes("moved")).contains(kept).doesNotContain(refused);
  }

  @Test
  void gang_whose_switch_is_on_starts_after_muster_was_killed() {
    createNodes("kill-a", "kill-b");
    startWithoutScheduler("killed", 2);
    List<String> promised = List.of(gangs.promised("killed", 0), gangs.promised("killed", 1));
    STAGE.killMuster();
    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);
    STAGE.startMuster();

    gangs.awaitRunning("killed", 2);

    assertThat(Stream.of("killed-0", "killed-1").map(pod -> cluster.nodeOf(pod).orElse("")))
        .containsExactlyElementsOf(promised);
  }

  @Test
  void gang_whose_switch_is_off_starts_after_muster_was_killed() {
    createNodes("off-a");
    gangs.create("waits", 2, 8);
    gangs.awaitReason("waits", "ImpossibleRequest");
    STAGE.killMuster();
    createNodes("off-b");
    assertThat(gangs.members("waits")).noneMatch(NativeSwitchE2E::wasTried);
    STAGE.startMuster();

    gangs.awaitRunning("waits", 2);
  }

  @Test
  void deleted_switch_is_written_again_while_its_gang_starts() {
    createNodes("again-a", "again-b");
    startWithoutScheduler("again", 2);
    String name = "again.p0.gang.muster.dev";
    String first = switches.uid(name);
    switches.delete(name);
    await("another switch")
        .atMost(TestCluster.WAIT)
        .until(() -> !List.of("", first).contains(switches.uid(name)));
    STAGE.plane().start(ControlPlaneComponent.SCHEDULER);

    gangs.awaitRunning("again", 2);
  }

  @Test
  void gang_starts_though_a_pod_group_of_its_name_demands_a_thousand_pods() {
    createNodes("own-a", "own-b");
    switches.create("owned.p0.gang.muster.dev", 1000);
    gangs.create("owned", 2, 8);

    gangs.awaitRunning("owned", 2);
  }

  @Test
  void replacement_of_a_running_gang_starts_and_the_switch_goes_with_the_gang() {
    createNodes("rep-a", "rep-b");
    gangs.create("repaired", 2, 8);
    gangs.awaitRunning("repaired", 2);
    String node = cluster.nodeOf("repaired-1").orElseThrow();
    cluster.delete("repaired-1");
    cluster.awaitGone("repaired-1");

    gangs.createMember("repaired", 1, 8);

    gangs.awaitRunning("repaired", 2);
    assertThat(cluster.nodeOf("repaired-1")).contains(node);
    gangs.deleteAll();
    gangs.deleteMembers("repaired");
    switches.awaitOn();
  }

  @Test
  void pods_that_kube_scheduler_asks_nobody_about_and_pods_with_a_group_of_their_own_get_gates() {
    assertThat(gates(TestGangs.member("launched", 0, 0))).containsExactly("muster.dev/gang");
    PodBuilder own =
        TestGangs.member("own", 0, 1)
            .editSpec()
            .withNewSchedulingGroup()
            .withPodGroupName("mine")
            .endSchedulingGroup()
            .endSpec();
    assertThat(gates(own)).containsExactly("muster.dev/gang");
    assertThat(
            gates(
                TestGangs.member("launched", 0, 0)
                    .editSpec()
                    .withNewSchedulingGroup()
                    .withPodGroupName("launched.p0.gang.muster.dev")
                    .endSchedulingGroup()
                    .endSpec()))
        .containsExactly("muster.dev/gang");
    assertThat(NativeSwitch.named(tried(own))).isEqualTo("mine");
    assertThat(NativeSwitch.named(tried(TestCluster.gpuPod("lone", 8)))).isEmpty();
  }

  @Test
  void policy_names_the_switch_without_muster() {
    List<HasMetadata> policy = ShippedFiles.built("manifests/switch-policy");
    policy.forEach(object -> STAGE.admin().resource(object).create());
    STAGE.killMuster();
    try {
      PodBuilder member = TestGangs.member("policed", 0, 1);
      await("the policy is in force")
          .atMost(TestCluster.WAIT)
          .until(() -> NativeSwitch.named(tried(member)).equals("policed.p0.gang.muster.dev"));
      assertThat(gates(member)).isEmpty();
      assertThat(NativeSwitch.named(tried(TestGangs.member("launched", 0, 0)))).isEmpty();
      assertThat(NativeSwitch.named(tried(labelled("No_Name")))).isEmpty();
      assertThat(NativeSwitch.named(tried(TestCluster.gpuPod("lone", 1)))).isEmpty();
    } finally {
      policy.forEach(object -> STAGE.admin().resource(object).delete());
      STAGE.startMuster();
    }
  }

  /// A gang whose nodes are promised and whose switch is on, while there is no kube-scheduler.
  private void startWithoutScheduler(String gang, int members) {
    STAGE.plane().kill(ControlPlaneComponent.SCHEDULER);
    gangs.create(gang, members, 8);
    switches.awaitOn(gang + ".p0.gang.muster.dev");
  }

  private static PodBuilder busy(String name, String node) {
    return TestCluster.gpuPod(name, 0)
        .editSpec()
        .withNodeName(node)
        .editFirstContainer()
        .editResources()
        .addToRequests("cpu", Quantity.parse("96"))
        .addToLimits("cpu", Quantity.parse("96"))
        .endResources()
        .endContainer()
        .endSpec();
  }

  private static PodBuilder labelled(String gang) {
    return TestCluster.gpuPod("labelled", 1)
        .editMetadata()
        .addToLabels(TestGangs.LABEL, gang)
        .endMetadata();
  }

  private static Pod tried(PodBuilder pod) {
    return STAGE.admin().pods().resource(pod.build()).dryRun().create();
  }

  private static List<String> gates(PodBuilder pod) {
    return tried(pod).getSpec().getSchedulingGates().stream()
        .map(PodSchedulingGate::getName)
        .toList();
  }

  private static boolean wasTried(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(condition -> "PodScheduled".equals(condition.getType()));
  }

  private static Requests written() {
    return Requests.written(STAGE.admin().raw("/metrics"));
  }

  private void createNodes(String... names) {
    cluster.createNodes(
        Stream.of(names).map(n -> NodeShape.withGpus(n, 8)).toArray(NodeShape[]::new));
  }
}
