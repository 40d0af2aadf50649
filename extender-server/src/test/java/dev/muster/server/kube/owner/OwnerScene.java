package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.policy.config.OwnerEntry;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.owner.kind.Fields;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Pods and owners as YAML, and the PodGroups that are requested for them.
abstract class OwnerScene {
  static final String GPUS = "{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}";
  static final String NO_GPUS = "{containers: [{name: c, resources: {limits: {cpu: 2}}}]}";

  final List<WantedPodGroup> wanted = new ArrayList<>();
  final List<String> again = new ArrayList<>();
  final Map<GangId, GenericKubernetesResource> podGroups = new HashMap<>();
  final Map<String, String> namespace = new HashMap<>();
  final OwnerKinds kinds;
  boolean watched = true;

  /// True if the API server knows the owners that were not seen.
  boolean exist;

  /// The owners that were looked up, as `name/uid`.
  final List<String> lookups = new ArrayList<>();

  final OwnerGangs gangs;
  private Instant now = Instant.parse("2026-11-01T12:00:00Z");

  OwnerScene() {
    this(List.of());
  }

  OwnerScene(List<OwnerEntry> configured) {
    this(OwnerKinds.with(configured));
  }

  OwnerScene(OwnerKinds kinds) {
    this.kinds = kinds;
    gangs =
        new OwnerGangs(
            kinds,
            List.of("nvidia.com/gpu"),
            new OwnerEnds(
                _ -> namespace,
                _ -> watched,
                () -> true,
                gang -> Optional.ofNullable(podGroups.get(gang)),
                key -> again.add("pod " + key),
                key -> again.add("group " + key),
                key -> again.add("group now " + key),
                wanted::add,
                this::find,
                () -> now));
  }

  private void find(OwnerKey owner, String uid) {
    lookups.add(owner.name() + "/" + uid);
    if (!exist) {
      gangs.absent(owner, uid);
    }
  }

  /// Records an owner; its kind is found by the name.
  void own(String yaml) {
    OwnerKind kind = kind(Yaml.group(yaml).getKind());
    GenericKubernetesResource owner = Yaml.owner(yaml, kind.api().selection());
    OwnerTrimmer.trim(owner);
    gangs.owner(kind, "ml/" + owner.getMetadata().getName(), Optional.of(owner));
  }

  /// Records the Job `sweep`, a gang of three pods with GPUs.
  void sweep(String uid) {
    own(
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {namespace: ml, name: sweep, uid: %s, labels: {muster.dev/gang: "true"}}
        spec: {parallelism: 3, template: {spec: %s}}
        """
            .formatted(uid, GPUS));
  }

  /// Records a Job of a JobSet.
  void make(String yaml) {
    OwnerKind kind = kind("JobSet");
    GenericKubernetesResource job = Yaml.owner(yaml, kind.makers().orElseThrow().selection());
    OwnerTrimmer.trim(job);
    gangs.maker(kind, "ml/" + job.getMetadata().getName(), Optional.of(job));
  }

  void disown(String kind, String name) {
    gangs.owner(kind(kind), "ml/" + name, Optional.empty());
  }

  private OwnerKind kind(String name) {
    return kinds.kinds().stream()
        .filter(kind -> kind.api().kind().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /// Records a pod with these labels.
  ///
  /// @param controller `Kind/name`, and `/uid` if this is not `o1`
  Pod see(String name, String controller, String labels) {
    Pod pod = pod(name, controller, labels);
    gangs.pod("ml/" + name, Optional.of(pod));
    return pod;
  }

  /// Records that the pod is on a node.
  void runs(Pod pod) {
    pod.getSpec().setNodeName("n1");
    gangs.pod("ml/" + pod.getMetadata().getName(), Optional.of(pod));
  }

  /// Records that the pod has ended.
  void ends(Pod pod, String phase) {
    runs(pod);
    pod.setStatus(new PodStatusBuilder().withPhase(phase).build());
    gangs.pod("ml/" + pod.getMetadata().getName(), Optional.of(pod));
  }

  /// Returns the minimum with which the requested PodGroup records that its gang runs; empty if it
  /// records none.
  Optional<String> ranWith() {
    wanted.clear();
    settle();
    return wanted.stream().findFirst().map(group -> group.annotations().get("muster.dev/ran-with"));
  }

  static Pod pod(String name, String controller, String labels) {
    return Yaml.pod(
        """
        metadata:
          namespace: ml
          name: %s
          uid: u-%s
          labels: {%s}
          ownerReferences: [{apiVersion: x/v1, kind: %s, name: %s, uid: %s, controller: true}]
        spec: %s
        """
            .formatted(
                name,
                name,
                labels,
                controller.split("/", -1)[0],
                controller.split("/", -1)[1],
                (controller + "/o1").split("/", -1)[2],
                GPUS));
  }

  void lose(String name) {
    gangs.pod("ml/" + name, Optional.empty());
  }

  /// Returns the gang of the pod; empty if it is alone.
  String gangOf(Pod pod) {
    return gangs.gangOf(OwnedPod.of(pod)).map(GangId::name).orElse("");
  }

  /// Requests what is due after some time.
  void settle() {
    settle(120);
  }

  void settle(int seconds) {
    now = now.plusSeconds(seconds);
    gangs.settle();
  }

  /// Returns the requests as `name=minimum` since the last call. If there are none, time passes and
  /// what is due is requested.
  List<String> requested() {
    if (wanted.isEmpty()) {
      settle();
    }
    List<String> texts =
        wanted.stream().map(group -> group.gang().name() + "=" + group.minimum()).toList();
    wanted.clear();
    return texts;
  }

  /// Returns the minimum that is in force for the PodGroup, which exists from now on.
  int minimum(String name, int minMember, String owner, String uid) {
    GenericKubernetesResource group =
        Yaml.group(
            """
            apiVersion: scheduling.x-k8s.io/v1alpha1
            kind: PodGroup
            metadata:
              namespace: ml
              name: %s
              uid: g1
              ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: %s, controller: true}]
            spec: {minMember: %d}
            """
                .formatted(
                    name,
                    kinds.kinds().stream()
                        .map(OwnerKind::api)
                        .filter(api -> owner.startsWith(api.kind() + "/"))
                        .map(api -> api.versions().getFirst())
                        .findFirst()
                        .orElse("x/v1"),
                    owner.replaceAll("/.*", ""),
                    owner.replaceAll(".*/", ""),
                    uid,
                    minMember));
    podGroups.put(new GangId("ml", GangId.Origin.POD_GROUP, name), group);
    return minimum(group);
  }

  /// Returns the minimum that is in force for the only PodGroup after this change.
  int minimumOf(Consumer<GenericKubernetesResource> change) {
    GenericKubernetesResource group = podGroups.values().iterator().next();
    change.accept(group);
    return minimum(group);
  }

  private int minimum(GenericKubernetesResource group) {
    GangId gang = new GangId("ml", GangId.Origin.POD_GROUP, group.getMetadata().getName());
    int declared =
        new Fields(group.getAdditionalProperties()).at("spec", "minMember").number().orElseThrow();
    return gangs
        .adjusted(GangSpec.of(gang, declared, "ml", Instant.EPOCH), group)
        .map(GangSpec::minCount)
        .orElse(0);
  }
}
