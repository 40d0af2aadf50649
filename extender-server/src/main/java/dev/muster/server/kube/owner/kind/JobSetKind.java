package dev.muster.server.kube.owner.kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// JobSets, also those of TrainJobs. All pods of a JobSet are one gang.
///
/// A ReplicatedJob that waits for another one (`dependsOn`, or `startupPolicyOrder: InOrder`) is a
/// later role. The same holds for the pods of a Job after its first one, if a JobSet places each
/// Job exclusively: it creates them when the first pod has a node.
final class JobSetKind implements OwnerKind {
  private static final Api API =
      new Api(
          "JobSet",
          "jobset.x-k8s.io/v1alpha2",
          "jobsets",
          "spec.replicatedJobs",
          "spec.startupPolicy");
  private static final String PREFIX = "jobset.sigs.k8s.io/";
  private static final String OWNER = PREFIX + "jobset-name";
  private static final String UID = PREFIX + "jobset-uid";
  private static final String ROLE = PREFIX + "replicatedjob-name";
  private static final Api JOBS =
      new Api(
          "Job",
          List.of("batch/v1"),
          "jobs",
          OWNER.replace("/", "%2F"),
          Set.of(
              "spec.parallelism",
              "spec.completions",
              "status.succeeded",
              "status.failedIndexes",
              "status.completedIndexes"));

  private static final String EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology";
  private static final String BY_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector";
  private static final String INDEX = "batch.kubernetes.io/job-completion-index";
  private static final String FOLLOWERS = "/followers";

  @Override
  public Api api() {
    return API;
  }

  @Override
  public Set<String> keys() {
    return Set.of(OWNER, UID, ROLE, EXCLUSIVE, BY_SELECTOR, INDEX, PREFIX + "restart-attempt");
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    String owner = pod.said(OWNER);
    if (owner.isEmpty() || !pod.controllerKind().equals("Job")) {
      return Optional.empty();
    }
    boolean follows = !pod.said(EXCLUSIVE).isEmpty() && pod.said(BY_SELECTOR).isEmpty();
    boolean first = !follows || pod.number(INDEX).orElse(0) == 0;
    return Optional.of(
        new PodRole(owner, pod.said(ROLE) + (first ? "" : FOLLOWERS)).of(pod.label(UID)));
  }

  @Override
  public List<OwnerRole> roles(Fields owner) {
    boolean inOrder = owner.at("spec", "startupPolicy", "startupPolicyOrder").is("InOrder");
    boolean exclusive = isExclusive(owner.at("metadata"));
    List<OwnerRole> roles = new ArrayList<>();
    for (Fields job : owner.at("spec", "replicatedJobs").items()) {
      boolean later = (inOrder && !roles.isEmpty()) || !job.at("dependsOn").items().isEmpty();
      String name = job.at("name").text().orElse("");
      int replicas = job.at("replicas").number().orElse(1);
      int pods = BatchJobKind.pods(job.at("template", "spec"));
      PodTemplate template = new PodTemplate(job.at("template", "spec", "template"));
      if (pods > 1 && (exclusive || isExclusive(job.at("template", "metadata")))) {
        roles.add(new OwnerRole(name, replicas, later, template));
        roles.add(new OwnerRole(name + FOLLOWERS, times(replicas, pods - 1), true, template));
      } else {
        roles.add(new OwnerRole(name, times(replicas, pods), later, template));
      }
    }
    return roles;
  }

  @Override
  public Optional<Api> makers() {
    return Optional.of(JOBS);
  }

  /// A JobSet that restarts deletes its Jobs before it creates them again, so none counts twice.
  @Override
  public Optional<PodsOver> over(Fields maker) {
    Fields labels = maker.at("metadata", "labels");
    return labels
        .at(OWNER)
        .text()
        .map(owner -> new PodsOver(owner, labels.at(UID).text().orElse(""), byRole(maker)));
  }

  private static Map<String, Integer> byRole(Fields job) {
    String role = job.at("metadata", "labels", ROLE).text().orElse("");
    int pods = BatchJobKind.pods(job.at("spec"));
    int over = BatchJobKind.podsOver(job);
    if (over == 0) {
      return Map.of();
    }
    if (pods == 1 || !isExclusive(job.at("metadata"))) {
      return Map.of(role, over);
    }
    int first = isFirstOver(job.at("status")) ? 1 : 0;
    return Map.of(role, first, role + FOLLOWERS, over - first);
  }

  /// True if the first index of an Indexed Job has ended.
  private static boolean isFirstOver(Fields status) {
    return Stream.of("completedIndexes", "failedIndexes")
        .anyMatch(field -> status.at(field).text().orElse("").matches("0([,-].*)?"));
  }

  private static boolean isExclusive(Fields metadata) {
    return metadata.at("annotations", EXCLUSIVE).isPresent()
        && !metadata.at("annotations", BY_SELECTOR).isPresent();
  }

  private static int times(int a, int b) {
    return (int) Math.min(Fields.MOST, (long) a * b);
  }
}
