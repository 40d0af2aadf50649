package dev.muster.server.kube.owner.kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// MPIJobs of mpi-operator (`v2beta1`) and of training-operator (`v1`): the launcher and its
/// workers are one gang.
///
/// The launcher is a later role if it is created when the workers run (`launcherCreationPolicy:
/// WaitForWorkersReady`). The operator makes the launcher by a Job of its own.
final class MpiJobKind implements OwnerKind {
  static final String PREFIX = "training.kubeflow.org/";
  private static final String LAUNCHER = "launcher";
  private static final Api API =
      new Api(
          "MPIJob",
          List.of("kubeflow.org/v2beta1", "kubeflow.org/v1"),
          "mpijobs",
          "",
          Set.of("spec.launcherCreationPolicy", "spec.mpiReplicaSpecs", "spec.runPolicy"));

  @Override
  public Api api() {
    return API;
  }

  @Override
  public Set<String> keys() {
    return Set.of(PREFIX + "job-name", PREFIX + "replica-type", PREFIX + "job-role");
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    String owner = pod.said(PREFIX + "job-name");
    String type = pod.said(PREFIX + "replica-type").toLowerCase(Locale.ROOT);
    String role = type.isEmpty() ? pod.said(PREFIX + "job-role").toLowerCase(Locale.ROOT) : type;
    boolean isWorker = pod.controllerKind().equals("MPIJob");
    boolean isLauncher = pod.controllerKind().equals("Job") && role.equals(LAUNCHER);
    return !owner.isEmpty() && (isWorker || isLauncher)
        ? Optional.of(new PodRole(owner, role).of(isWorker ? pod.controllerUid() : ""))
        : Optional.empty();
  }

  @Override
  public OptionalInt minimum(Fields owner) {
    return owner.at("spec", "runPolicy", "schedulingPolicy", "minAvailable").number();
  }

  @Override
  public List<OwnerRole> roles(Fields owner) {
    boolean later = owner.at("spec", "launcherCreationPolicy").is("WaitForWorkersReady");
    List<OwnerRole> roles = new ArrayList<>();
    for (Map.Entry<String, Fields> replicas :
        owner.at("spec", "mpiReplicaSpecs").entries().entrySet()) {
      String name = replicas.getKey().toLowerCase(Locale.ROOT);
      roles.add(
          new OwnerRole(
              name,
              replicas.getValue().at("replicas").number().orElse(1),
              later && name.equals(LAUNCHER),
              new PodTemplate(replicas.getValue().at("template"))));
    }
    return roles;
  }
}
