package dev.muster.server.kube.owner.kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// A job of training-operator (`kubeflow.org/v1`), such as a PyTorchJob. All its replicas are one
/// gang. An elastic PyTorchJob starts with `elasticPolicy.minReplicas` workers.
final class TrainingJobKind implements OwnerKind {
  private final Api api;
  private final String field;

  /// @param kind such as `PyTorchJob`
  /// @param field field of the spec with the replicas, such as `pytorchReplicaSpecs`
  TrainingJobKind(String kind, String field) {
    this.api =
        new Api(
            kind,
            "kubeflow.org/v1",
            kind.toLowerCase(Locale.ROOT) + "s",
            "spec." + field,
            "spec.elasticPolicy",
            "spec.runPolicy");
    this.field = field;
  }

  @Override
  public Api api() {
    return api;
  }

  @Override
  public Set<String> keys() {
    return Set.of(MpiJobKind.PREFIX + "job-name", MpiJobKind.PREFIX + "replica-type");
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    String owner = pod.said(MpiJobKind.PREFIX + "job-name");
    return !owner.isEmpty() && pod.controllerKind().equals(api.kind())
        ? Optional.of(
            new PodRole(
                    owner, pod.said(MpiJobKind.PREFIX + "replica-type").toLowerCase(Locale.ROOT))
                .of(pod.controllerUid()))
        : Optional.empty();
  }

  @Override
  public OptionalInt minimum(Fields owner) {
    return owner.at("spec", "runPolicy", "schedulingPolicy", "minAvailable").number();
  }

  @Override
  public List<OwnerRole> roles(Fields owner) {
    List<OwnerRole> roles = new ArrayList<>();
    for (Map.Entry<String, Fields> replicas : owner.at("spec", field).entries().entrySet()) {
      String name = replicas.getKey().toLowerCase(Locale.ROOT);
      int count = replicas.getValue().at("replicas").number().orElse(1);
      int least =
          name.equals("worker")
              ? owner.at("spec", "elasticPolicy", "minReplicas").number().orElse(count)
              : count;
      roles.add(
          new OwnerRole(
              name, Math.min(count, least), new PodTemplate(replicas.getValue().at("template"))));
    }
    return roles;
  }
}
