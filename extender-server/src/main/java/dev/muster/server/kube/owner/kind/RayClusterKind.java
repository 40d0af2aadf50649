package dev.muster.server.kube.owner.kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// RayClusters, also those of RayJobs and RayServices: the head and all workers are one gang. With
/// the autoscaler of Ray, the gang starts with `minReplicas` of each group.
///
/// The submitter of a RayJob is created when the cluster is ready, and is no member.
final class RayClusterKind implements OwnerKind {
  private static final Api API =
      new Api(
          "RayCluster",
          "ray.io/v1",
          "rayclusters",
          "spec.enableInTreeAutoscaling",
          "spec.headGroupSpec",
          "spec.workerGroupSpecs");
  private static final Set<String> TYPES = Set.of("head", "worker");
  private static final String HEAD = "head";

  @Override
  public Api api() {
    return API;
  }

  @Override
  public Set<String> keys() {
    return Set.of("ray.io/cluster", "ray.io/node-type", "ray.io/group");
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    String owner = pod.said("ray.io/cluster");
    String type = pod.said("ray.io/node-type");
    if (owner.isEmpty() || !TYPES.contains(type) || !pod.controllerKind().equals("RayCluster")) {
      return Optional.empty();
    }
    String role = type.equals(HEAD) ? HEAD : "group/" + pod.said("ray.io/group");
    return Optional.of(new PodRole(owner, role).of(pod.controllerUid()));
  }

  @Override
  public List<OwnerRole> roles(Fields owner) {
    boolean scales = owner.at("spec", "enableInTreeAutoscaling").isTrue();
    List<OwnerRole> roles = new ArrayList<>();
    roles.add(
        new OwnerRole(HEAD, 1, new PodTemplate(owner.at("spec", "headGroupSpec", "template"))));
    for (Fields group : owner.at("spec", "workerGroupSpecs").items()) {
      long hosts = group.at("numOfHosts").number().orElse(1);
      roles.add(
          new OwnerRole(
              "group/" + group.at("groupName").text().orElse(""),
              (int) Math.min(Fields.MOST, hosts * replicas(group, scales)),
              new PodTemplate(group.at("template"))));
    }
    return roles;
  }

  private static int replicas(Fields group, boolean scales) {
    if (group.at("suspend").isTrue()) {
      return 0;
    }
    int least = group.at("minReplicas").number().orElse(0);
    OptionalInt most = group.at("maxReplicas").number();
    int wanted = scales ? least : Math.max(least, group.at("replicas").number().orElse(least));
    return most.isPresent() ? Math.min(wanted, most.getAsInt()) : wanted;
  }
}
