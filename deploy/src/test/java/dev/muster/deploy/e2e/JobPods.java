package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;

/// The pods that a real job controller makes for one job, in the namespace `default`.
///
/// @param job the name of the job
record JobPods(KubernetesClient client, JobControllerModule module, String job) {
  /// The garbage collector learns only every 30 s that there are new kinds.
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final Duration POLL = Duration.ofMillis(100);

  /// The pods that are not being deleted.
  List<Pod> all() {
    return client
        .pods()
        .inNamespace("default")
        .withLabel(module.podLabel(), job)
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }

  /// Waits until so many pods exist, all wait for a reason in these words, and none has a node.
  void awaitWaiting(int pods, String sentence) {
    waiting("%d pods of %s that wait: %s".formatted(pods, job, sentence))
        .untilAsserted(() ->
            assertThat(all())
                .hasSize(pods)
                .allSatisfy(pod -> assertThat(reason(pod)).contains(sentence)));
    assertThat(all()).noneMatch(TestGangs::isBound);
  }

  /// Waits until so many pods run, and no others exist.
  void awaitRunning(int pods) {
    awaitPhase("Running", pods);
  }

  /// Waits until so many pods run and so many others wait for a reason in these words.
  void awaitRunningBeside(int running, int waiting, String sentence) {
    waiting("%d pods of %s run, %d wait: %s".formatted(running, job, waiting, sentence))
        .untilAsserted(() -> {
          Map<Boolean, List<Pod>> pods =
              all().stream().collect(Collectors.partitioningBy(TestGangs::isBound));
          assertThat(pods.get(true)).hasSize(running).allMatch(JobPods::isRunning);
          assertThat(pods.get(false))
              .hasSize(waiting)
              .allSatisfy(pod -> assertThat(reason(pod)).contains(sentence));
        });
  }

  static boolean isRunning(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase());
  }

  /// Waits until so many pods have this phase, and no others exist.
  void awaitPhase(String phase, int pods) {
    waiting("%d pods of %s %s".formatted(pods, job, phase))
        .untilAsserted(() ->
            assertThat(all())
                .hasSize(pods)
                .allMatch(pod -> phase.equals(pod.getStatus().getPhase()), phase));
  }

  /// Waits until none of these pods is left, and so many others run.
  void awaitReplaced(Set<String> uids, int pods) {
    waiting("none of the first pods of " + job)
        .until(() -> uids().stream().noneMatch(uids::contains));
    awaitRunning(pods);
  }

  /// Waits until there are so many pods beside these.
  void awaitOthers(Set<String> uids, int pods) {
    waiting("%d other pods of %s".formatted(pods, job))
        .until(() -> uids().stream().filter(uid -> !uids.contains(uid)).count() == pods);
  }

  void awaitGone() {
    waiting("no pods of " + job).until(() -> all().isEmpty());
  }

  Set<String> uids() {
    return all().stream()
        .map(pod -> Objects.requireNonNull(pod.getMetadata().getUid()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// The only pod that this is true of, which may be the first of equal ones.
  Pod any(Predicate<Pod> condition) {
    return all().stream().filter(condition).findFirst().orElseThrow();
  }

  /// Ends a running pod as its container does that fails.
  void fail(Pod pod) {
    end(pod, "Failed", "Error");
  }

  /// Ends a running pod as its container does that succeeds.
  void succeed(Pod pod) {
    end(pod, "Succeeded", "Completed");
  }

  private void end(Pod pod, String phase, String reason) {
    client
        .pods()
        .resource(pod)
        .editStatus(
            now -> now.edit().editStatus().withPhase(phase).withReason(reason).endStatus().build());
  }

  private static String reason(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("muster.dev/Admitted"))
        .map(condition -> condition.getReason() + ": " + condition.getMessage())
        .findFirst()
        .orElse("(no reason yet)");
  }

  private static ConditionFactory waiting(String what) {
    return await(what).atMost(LIMIT).pollDelay(Duration.ZERO).pollInterval(POLL);
  }
}
