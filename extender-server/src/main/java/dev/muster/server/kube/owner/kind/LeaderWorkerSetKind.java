package dev.muster.server.kube.owner.kind;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// LeaderWorkerSets. Each replica, a leader with its workers, is a gang.
///
/// The workers are a later role where the leader must run, or have a node, before they are created.
final class LeaderWorkerSetKind implements OwnerKind {
  private static final Api API =
      new Api(
          "LeaderWorkerSet",
          "leaderworkerset.x-k8s.io/v1",
          "leaderworkersets",
          "spec.leaderWorkerTemplate",
          "spec.replicas",
          "spec.startupPolicy");
  private static final String PREFIX = "leaderworkerset.sigs.k8s.io/";
  private static final String LEADER = "leader";
  private static final String WORKERS = "workers";

  @Override
  public Api api() {
    return API;
  }

  @Override
  public Set<String> keys() {
    return Set.of(PREFIX + "name", PREFIX + "group-index", PREFIX + "worker-index");
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    String owner = pod.said(PREFIX + "name");
    OptionalInt replica = pod.number(PREFIX + "group-index");
    if (owner.isEmpty() || replica.isEmpty() || !pod.controllerKind().equals("StatefulSet")) {
      return Optional.empty();
    }
    boolean leads = pod.number(PREFIX + "worker-index").orElse(0) == 0;
    return Optional.of(new PodRole(owner, replica, leads ? LEADER : WORKERS, true));
  }

  @Override
  public List<OwnerRole> roles(Fields owner) {
    Fields template = owner.at("spec", "leaderWorkerTemplate");
    int size = template.at("size").number().orElse(1);
    boolean later =
        owner.at("spec", "startupPolicy").is("LeaderReady")
            || owner.at("metadata", "annotations", PREFIX + "exclusive-topology").isPresent();
    Fields workers = template.at("workerTemplate");
    Fields leader = template.at("leaderTemplate");
    return List.of(
        new OwnerRole(LEADER, 1, new PodTemplate(leader.isPresent() ? leader : workers)),
        new OwnerRole(WORKERS, Math.max(0, size - 1), later, new PodTemplate(workers)));
  }

  @Override
  public OptionalInt replicas(Fields owner) {
    return OptionalInt.of(owner.at("spec", "replicas").number().orElse(1));
  }

  /// During an update there may be as many replicas again (`maxSurge`).
  @Override
  public int mostReplicas(Fields owner) {
    return 2 * replicas(owner).orElse(1);
  }
}
