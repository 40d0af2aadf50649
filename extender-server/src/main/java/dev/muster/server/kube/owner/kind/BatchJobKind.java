package dev.muster.server.kube.owner.kind;

import dev.muster.server.kube.client.WellKnownNames;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/// Jobs that ask for it, by the label `muster.dev/gang: "true"`. Only such Jobs are watched, since
/// a cluster may have very many others.
final class BatchJobKind implements OwnerKind {
  private static final Api API =
      new Api(
          "Job",
          List.of("batch/v1"),
          "jobs",
          WellKnownNames.FORMS_GANG + "%3Dtrue",
          Set.of(
              "spec.parallelism",
              "spec.completions",
              "spec.template",
              "status.succeeded",
              "status.failedIndexes"));

  @Override
  public Api api() {
    return API;
  }

  @Override
  public Set<String> keys() {
    return Set.of(WellKnownNames.FORMS_GANG);
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    return pod.controllerKind().equals("Job")
        ? Optional.of(
            new PodRole(
                    pod.controllerName(),
                    OptionalInt.empty(),
                    "pods",
                    pod.said(WellKnownNames.FORMS_GANG).equals("true"))
                .of(pod.controllerUid()))
        : Optional.empty();
  }

  @Override
  public boolean selects(Fields owner) {
    return owner.at("metadata", "labels", WellKnownNames.FORMS_GANG).is("true");
  }

  @Override
  public List<OwnerRole> roles(Fields owner) {
    return List.of(
        new OwnerRole("pods", pods(owner.at("spec")), new PodTemplate(owner.at("spec", "template")))
            .over(podsOver(owner)));
  }

  /// Returns the number of indexes in a text such as `1,3-5`.
  private static int failed(String indexes) {
    return Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?")
        .matcher(indexes)
        .results()
        .mapToInt(range ->
            range.group(2) == null
                ? 1
                : Integer.parseInt(range.group(2)) - Integer.parseInt(range.group(1)) + 1)
        .sum();
  }

  /// Returns the number of pods that a Job with this spec has at once.
  static int pods(Fields job) {
    int parallelism = job.at("parallelism").number().orElse(1);
    return Math.min(parallelism, job.at("completions").number().orElse(parallelism));
  }

  /// Returns how many fewer pods the Job wants now than at its start. Pods that have succeeded, and
  /// indexes that have failed for good, get no further pods.
  static int podsOver(Fields job) {
    Fields spec = job.at("spec");
    int pods = pods(spec);
    int completions =
        spec.at("completions").number().orElse(spec.at("parallelism").number().orElse(1));
    int ended =
        job.at("status", "succeeded").number().orElse(0)
            + failed(job.at("status", "failedIndexes").text().orElse(""));
    return pods - Math.clamp(completions - ended, 0, pods);
  }
}
