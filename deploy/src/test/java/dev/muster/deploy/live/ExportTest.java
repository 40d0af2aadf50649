package dev.muster.deploy.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.state.Policies;
import dev.muster.core.topology.Interconnect;
import dev.muster.core.topology.LevelBandwidths;
import dev.muster.core.topology.Link;
import dev.muster.core.topology.Locality;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.core.topology.Vertex;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.watch.ObjectFacts;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.live.LiveExport;
import dev.muster.simulator.live.Pseudonymizer;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An export contains no secrets. Its source objects are full of the word SECRET.
class ExportTest {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final Instant NOW = Instant.parse("2026-11-01T01:00:00Z");
  private static final Topology RACKS =
      new Topology(List.of(new TopologyLevel("rack", "example.com/rack")))
          .with(
              new Locality(
                  new LevelBandwidths(List.of(200_000L, 400_000L)),
                  new Interconnect(
                      List.of(
                          new Link(
                              new Vertex.Node("node-NAME-1"),
                              new Vertex.Switch("rail-NAME"),
                              400_000)))));

  private static final Instant LATER = Instant.parse("2026-12-01T00:00:00Z");
  private static final SpentBudget QUEUE =
      new SpentBudget(BudgetOwner.queue("team-NAME"), 12, 10, LATER);
  private static final SpentBudget PROJECT =
      new SpentBudget(BudgetOwner.project("llm-NAME"), 12, 10, LATER);

  @TempDir private Path folder = Path.of("");

  @Test
  void export_contains_only_inputs_of_the_scheduler() throws IOException {
    export(Set.of(), Optional.empty());

    assertThat(text()).contains("node-NAME-1", "team-NAME", "train-NAME").doesNotContain("SECRET");
    assertThat(text()).as("claims select").contains("nvidia.com/gpu where").contains("row-NAME");
  }

  @Test
  void hashed_names_occur_nowhere_and_equal_names_stay_equal() throws IOException {
    LiveExport.Written written = export(Set.of(), Optional.of(Pseudonymizer.random()));

    assertThat(text()).contains("nvidia.com/gpu x").doesNotContain("SECRET").doesNotContain("NAME");
    assertThat(snapshot().header().topology())
        .as("the fabric without its links")
        .isEqualTo(RACKS.with(new Locality(RACKS.locality().levels(), Interconnect.NONE)));
    TraceJob job = written.jobs().jobs().getLast().job();
    assertThat(job.queue()).as("the namespace is the queue").isEqualTo(job.user());
    assertThat(snapshot().state().cluster().spent().getFirst().owner())
        .as("the budget is still that of the queue")
        .isEqualTo(BudgetOwner.queue(job.queue()));
    Fleet fleet = Fleets.of(folder.resolve(LiveExport.CLUSTER).toString());
    String rack = job.request().selection().all().getFirst().values().getFirst();
    assertThat(fleet.nodes())
        .as("the selector still selects")
        .filteredOn(node -> rack.equals(node.labels().get("example.com/rack")))
        .hasSize(1);
  }

  @Test
  void two_exports_have_different_hashes() throws IOException {
    TraceJob one =
        export(Set.of(), Optional.of(Pseudonymizer.random())).jobs().jobs().getFirst().job();
    TraceJob two =
        export(Set.of(), Optional.of(Pseudonymizer.random())).jobs().jobs().getFirst().job();

    assertThat(one.queue()).isNotEqualTo(two.queue());
  }

  @Test
  void simulator_reads_the_export() throws IOException {
    export(Set.of(), Optional.empty());

    Fleet fleet = Fleets.of(folder.resolve(LiveExport.CLUSTER).toString());
    assertThat(fleet.topology().levels()).isEqualTo(RACKS.levels());
    assertThat(fleet.nodes())
        .extracting(dev.muster.core.node.Node::gpus)
        .as("a stranger has one GPU of the first")
        .containsExactly(7, 8);
    List<TraceJob> jobs = jobs();
    assertThat(jobs)
        .extracting(TraceJob::id)
        .containsExactly("team-NAME/over-NAME", "team-NAME/train-NAME");
    assertThat(jobs).extracting(TraceJob::runMillis).containsExactly(600_000L, 7_200_000L);
    assertThat(jobs.getLast().workers()).isEqualTo(2);
    assertThat(jobs.getLast().request().selection().tolerations()).hasSize(1);
    ClusterSnapshot snapshot = snapshot();
    assertThat(snapshot.state().cluster().nodes().size()).isEqualTo(2);
    assertThat(snapshot.at()).isEqualTo(NOW);
  }

  @Test
  void spent_budgets_are_exported() throws IOException {
    export(Set.of(), Optional.empty());

    assertThat(snapshot().state().cluster().spent()).containsExactly(QUEUE, PROJECT);
  }

  @Test
  void other_namespaces_are_exported_as_used_capacity_only() throws IOException {
    LiveExport.Written written = export(Set.of("nobody"), Optional.empty());

    assertThat(text()).doesNotContain("team-NAME", "train-NAME", "llm-NAME");
    assertThat(written.jobs().jobs()).isEmpty();
    assertThat(written.gpus()).as("16, 1 a stranger's, 4 those of the gang").isEqualTo(11);
  }

  private LiveExport.Written export(Set<String> namespaces, Optional<Pseudonymizer> hash)
      throws IOException {
    ObjectFacts objects = new ObjectFacts(KubeSettings.DEFAULT, Map.of(), NOW);
    objects.resourceSlice(read(SLICE, ResourceSlice.class));
    objects.resourceClaimTemplate(read(TEMPLATE, ResourceClaimTemplate.class));
    objects.podGroup(read(GROUP, GenericKubernetesResource.class));
    objects.node(read(NODE.formatted(1, 1), Node.class));
    objects.node(read(NODE.formatted(2, 2), Node.class));
    objects.pod(read(POD.formatted(0, 0, "node-NAME-1"), Pod.class));
    objects.pod(read(POD.formatted(1, 1, "node-NAME-1"), Pod.class));
    objects.pod(read(STRANGER, Pod.class));
    objects.pod(read(OVER, Pod.class));
    assertThat(objects.problems()).isEmpty();
    JournalHeader header = JournalHeader.of(RACKS, Policies.DEFAULT, Map.of());
    List<Event> facts = new ArrayList<>(objects.events());
    facts.add(new Event.BudgetsSpent(NOW, List.of(QUEUE, PROJECT)));
    var sources = new LiveExport.Sources(header, facts, objects.past(), Optional.empty());
    return new LiveExport(namespaces, hash).write(folder, sources);
  }

  private static <T> T read(String yaml, Class<T> type) {
    return Objects.requireNonNull(YAML.unmarshal(yaml, type));
  }

  private ClusterSnapshot snapshot() throws IOException {
    return ClusterSnapshot.read(folder.resolve(LiveExport.SNAPSHOT));
  }

  private List<TraceJob> jobs() {
    List<TraceJob> jobs = new ArrayList<>();
    try (Trace trace = TraceFiles.open(folder.resolve(LiveExport.JOBS), TraceOptions.DEFAULT)) {
      trace.forEachRemaining(jobs::add);
    }
    return jobs;
  }

  private String text() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String file : List.of(LiveExport.SNAPSHOT, LiveExport.CLUSTER, LiveExport.JOBS)) {
      text.append(Files.readString(folder.resolve(file)));
    }
    return text.toString();
  }

  private static final String GROUP =
      """
      apiVersion: scheduling.x-k8s.io/v1alpha1
      kind: PodGroup
      metadata:
        name: train-NAME
        namespace: team-NAME
        uid: group-NAME
        creationTimestamp: 2026-11-01T00:00:00Z
        labels: {team: label-NAME}
        annotations:
          example.com/token: SECRET
          kubectl.kubernetes.io/last-applied-configuration: SECRET
          muster.dev/runtime: 2h
        managedFields: [{manager: SECRET}]
        ownerReferences:
          - {apiVersion: batch/v1, kind: SECRET, name: owner-NAME, uid: SECRET, controller: true}
      spec: {minMember: 2, minResources: {SECRET: 1}}
      status: {phase: SECRET}
      """;

  private static final String NODE =
      """
      apiVersion: v1
      kind: Node
      metadata:
        name: node-NAME-%d
        labels: {example.com/rack: rack-NAME-%d}
        annotations: {example.com/token: SECRET}
      spec:
        providerID: SECRET
        podCIDR: SECRET
        taints: [{key: nvidia.com/gpu, value: present-NAME, effect: NoSchedule}]
      status:
        addresses: [{type: InternalIP, address: SECRET}]
        allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "8", pods: "110"}
        conditions: [{type: Ready, status: "True", message: SECRET, reason: SECRET}]
        images: [{names: [SECRET]}]
        nodeInfo: {machineID: SECRET, systemUUID: SECRET}
      """;

  private static final String SLICE =
      """
      apiVersion: resource.k8s.io/v1
      kind: ResourceSlice
      metadata: {name: SECRET}
      spec:
        driver: gpu.nvidia.com
        nodeName: node-NAME-1
        pool: {name: SECRET, generation: 1, resourceSliceCount: 1}
        devices: [{name: SECRET, attributes: {row: {string: row-NAME}, uuid: {string: SECRET}}}]
      """;

  private static final String TEMPLATE =
      """
      apiVersion: resource.k8s.io/v1
      kind: ResourceClaimTemplate
      metadata: {name: SECRET, namespace: SECRET}
      spec:
        spec:
          devices:
            requests:
              - name: SECRET
                exactly:
                  deviceClassName: gpu.nvidia.com
                  selectors:
                    - {cel: {expression: "device.attributes['gpu.nvidia.com'].row == 'row-NAME'"}}
      """;

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: train-NAME-%d
        namespace: team-NAME
        uid: uid-NAME-%d
        creationTimestamp: 2026-11-01T00:00:00Z
        labels: {scheduling.x-k8s.io/pod-group: train-NAME, SECRET: SECRET}
        annotations: {example.com/token: SECRET, muster.dev/charged-queue: charged-NAME}
      spec:
        nodeName: %s
        schedulerName: default-scheduler
        serviceAccountName: SECRET
        hostname: SECRET
        imagePullSecrets: [{name: SECRET}]
        hostAliases: [{ip: SECRET, hostnames: [SECRET]}]
        nodeSelector: {example.com/rack: rack-NAME-1}
        tolerations: [{key: nvidia.com/gpu, value: present-NAME, effect: NoSchedule}]
        volumes: [{name: SECRET, secret: {secretName: SECRET}}]
        initContainers: [{name: SECRET, image: SECRET, command: [SECRET]}]
        containers:
          - name: SECRET
            image: SECRET
            command: [SECRET]
            args: [SECRET]
            workingDir: SECRET
            env:
              - {name: SECRET, value: SECRET}
              - {name: SECRET, valueFrom: {secretKeyRef: {name: SECRET, key: SECRET}}}
            envFrom: [{secretRef: {name: SECRET}}]
            volumeMounts: [{name: SECRET, mountPath: SECRET}]
            resources: {limits: {nvidia.com/gpu: 2, cpu: "4"}}
      status:
        phase: Running
        message: SECRET
        podIP: SECRET
        conditions:
          - {type: PodScheduled, status: "True", lastTransitionTime: 2026-11-01T00:10:00Z, message: SECRET}
        containerStatuses: [{name: SECRET, image: SECRET, imageID: SECRET, containerID: SECRET}]
      """;

  private static final String STRANGER =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: SECRET, namespace: SECRET, uid: SECRET}
      spec:
        nodeName: node-NAME-1
        schedulerName: SECRET
        containers: [{name: SECRET, image: SECRET, resources: {limits: {nvidia.com/gpu: 1}}}]
      status: {phase: Running}
      """;

  private static final String OVER =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: over-NAME
        namespace: team-NAME
        uid: over-NAME
        creationTimestamp: 2026-10-31T23:00:00Z
      spec:
        nodeName: node-NAME-2
        schedulerName: default-scheduler
        containers: [{name: SECRET, image: SECRET, resources: {limits: {nvidia.com/gpu: 1}}}]
      status:
        phase: Succeeded
        conditions:
          - {type: PodScheduled, status: "True", lastTransitionTime: 2026-10-31T23:05:00Z}
        containerStatuses:
          - name: SECRET
            state: {terminated: {finishedAt: 2026-10-31T23:15:00Z, message: SECRET, exitCode: 0}}
      """;
}
