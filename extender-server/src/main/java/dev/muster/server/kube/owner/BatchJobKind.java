package dev.muster.server.kube.owner;

import dev.muster.server.kube.client.WellKnownNames;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// Jobs that ask for it, by the label `muster.dev/gang: "true"`. Only such Jobs are watched, since
/// a cluster may have very many others.
final class BatchJobKind implements OwnerKind {
  private static final Api API =
      new Api("Job", List.of("batch/v1"), "jobs", WellKnownNames.FORMS_GANG + "%3Dtrue");

  @Override
  public Api api() {
    return API;
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    return pod.controllerKind().equals("Job")
        ? Optional.of(
            new PodRole(
                pod.controllerName(),
                OptionalInt.empty(),
                "pods",
                pod.said(WellKnownNames.FORMS_GANG).equals("true")))
        : Optional.empty();
  }

  @Override
  public List<OwnerRole> roles(Fields owner) {
    return List.of(
        new OwnerRole(
            "pods", pods(owner.at("spec")), new PodTemplate(owner.at("spec", "template"))));
  }

  /// Returns the number of pods that a Job with this spec has at once.
  static int pods(Fields job) {
    int parallelism = job.at("parallelism").number().orElse(1);
    return Math.min(parallelism, job.at("completions").number().orElse(parallelism));
  }
}
