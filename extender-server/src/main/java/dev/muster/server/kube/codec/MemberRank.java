package dev.muster.server.kube.codec;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds the rank of a pod in its gang, from the number that its job controller assigns. Pods with
/// adjacent ranks communicate most.
final class MemberRank {
  private static final long STRIDE = 1_000_000;
  private static final Pattern TRAILING = Pattern.compile("(\\d{1,9})$");
  private static final String COMPLETION = "batch.kubernetes.io/job-completion-index";
  private static final String JOBSET = "jobset.sigs.k8s.io/";
  private static final String LEADER = "leaderworkerset.sigs.k8s.io/";
  private static final String KUBEFLOW = "training.kubeflow.org/";
  private static final String RAY = "ray.io/node-type";

  private final Map<String, String> labels;
  private final Map<String, String> annotations;

  private MemberRank(Map<String, String> labels, Map<String, String> annotations) {
    this.labels = labels;
    this.annotations = annotations;
  }

  /// Returns the rank of the pod with these labels and annotations, at least 0.
  static long of(String name, Map<String, String> labels, Map<String, String> annotations) {
    MemberRank pod = new MemberRank(labels, annotations);
    OptionalLong[] inOrder = {
      pod.inJob(), pod.inLeaderWorkerSet(), pod.inKubeflowJob(), pod.inRayCluster(), trailing(name)
    };
    for (OptionalLong rank : inOrder) {
      if (rank.isPresent()) {
        return rank.getAsLong();
      }
    }
    return 0;
  }

  /// Orders by the Job's index in its JobSet, then by the pod's index in the Job.
  private OptionalLong inJob() {
    OptionalLong job = either(JOBSET + "job-global-index", JOBSET + "job-index");
    OptionalLong index = number(COMPLETION);
    return job.isPresent() ? OptionalLong.of(job.getAsLong() * STRIDE + index.orElse(0)) : index;
  }

  private OptionalLong inLeaderWorkerSet() {
    OptionalLong group = number(LEADER + "group-index");
    OptionalLong worker = number(LEADER + "worker-index");
    return group.isPresent() || worker.isPresent()
        ? OptionalLong.of(group.orElse(0) * STRIDE + worker.orElse(0))
        : OptionalLong.empty();
  }

  /// Ranks the replicas that others connect to first. The mpi-operator labels a role, not a type.
  private OptionalLong inKubeflowJob() {
    OptionalLong index = number(KUBEFLOW + "replica-index");
    String type =
        labels
            .getOrDefault(KUBEFLOW + "replica-type", labels.getOrDefault(KUBEFLOW + "job-role", ""))
            .toLowerCase(Locale.ROOT);
    long role =
        switch (type) {
          case "launcher", "master", "chief", "scheduler" -> 0;
          case "ps", "server" -> 1;
          default -> 2;
        };
    return type.isEmpty() ? index : OptionalLong.of(role * STRIDE + index.orElse(0));
  }

  /// Ranks the head first, since workers without it do nothing. Workers have no numbers.
  private OptionalLong inRayCluster() {
    return switch (labels.getOrDefault(RAY, "")) {
      case "" -> OptionalLong.empty();
      case "head" -> OptionalLong.of(0);
      default -> OptionalLong.of(1);
    };
  }

  private static OptionalLong trailing(String name) {
    Matcher digits = TRAILING.matcher(name);
    return digits.find() ? OptionalLong.of(Long.parseLong(digits.group(1))) : OptionalLong.empty();
  }

  private OptionalLong either(String key, String otherKey) {
    OptionalLong number = number(key);
    return number.isPresent() ? number : number(otherKey);
  }

  private OptionalLong number(String key) {
    String text = labels.getOrDefault(key, annotations.getOrDefault(key, ""));
    return text.matches("\\d{1,9}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
  }
}
