package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// The sums that are kept for a gang equal those of a process that reads all objects anew.
class GangPodsTest {
  private static final List<String> ROLES = List.of("a", "b", "late", "none");
  private static final List<String> PHASES = List.of("Pending", "Running", "Succeeded");
  private static final List<String> UIDS = List.of("o1", "o2", "");

  /// A JobSet, its Jobs and its pods, as events that can be repeated elsewhere.
  private static final class Scene extends OwnerScene {
    private final Map<String, Consumer<Scene>> objects = new TreeMap<>();

    void tell(String object, Consumer<Scene> event) {
      objects.put(object, event);
      event.accept(this);
    }

    void withdraw(String object, Consumer<Scene> event) {
      objects.remove(object);
      event.accept(this);
    }

    /// Returns a process that sees these objects for the first time.
    Scene anew() {
      Scene other = new Scene();
      objects.values().forEach(object -> object.accept(other));
      return other;
    }

    void jobSet(String uid, boolean inOrder, int replicas) {
      String job =
          "replicas: %d, template: {spec: {template: {spec: %s}}}".formatted(replicas, GPUS);
      own(
          """
          apiVersion: jobset.x-k8s.io/v1alpha2
          kind: JobSet
          metadata: {namespace: ml, name: train, uid: %s}
          spec:
            replicatedJobs:
              - {name: a, %s}
              - {name: b, %s}
              - {name: late, %s%s}
          """
              .formatted(uid, job, job, inOrder ? "dependsOn: [{name: a}], " : "", job));
    }

    void job(String role, int succeeded) {
      make(
          """
          apiVersion: batch/v1
          kind: Job
          metadata:
            namespace: ml
            name: train-%1$s-0
            labels: {jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: %1$s}
          spec: {parallelism: 9, completions: 9}
          status: {succeeded: %2$d}
          """
              .formatted(role, succeeded));
    }

    void member(String name, String role, String uid, boolean deleted, String phase) {
      Pod pod =
          pod(
              name,
              "Job/train",
              "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: %s, jobset.sigs.k8s.io/jobset-uid: '%s'"
                  .formatted(role, uid));
      pod.getMetadata().setDeletionTimestamp(deleted ? "2026-11-01T12:00:00Z" : null);
      pod.getSpec().setNodeName(phase.equals("Pending") ? null : "n1");
      pod.setStatus(new PodStatusBuilder().withPhase(phase).build());
      gangs.pod("ml/" + name, Optional.of(pod));
    }

    /// Returns the minimum of each gang, and the number of its pods that have started.
    Set<String> sizes() {
      wanted.clear();
      settle();
      Set<String> sizes = new HashSet<>();
      for (WantedPodGroup group : wanted) {
        String ranWith = group.annotations().get("muster.dev/ran-with");
        sizes.add(group.gang().name() + "=" + group.minimum() + "/" + ranWith);
      }
      return sizes;
    }
  }

  private static void change(Scene scene, Random random) {
    String role = ROLES.get(random.nextInt(ROLES.size()));
    String name = "p" + random.nextInt(6);
    switch (random.nextInt(12)) {
      case 0 -> {
        String uid = UIDS.get(random.nextInt(2));
        boolean inOrder = random.nextBoolean();
        int replicas = 3 + random.nextInt(3);
        scene.tell("owner", to -> to.jobSet(uid, inOrder, replicas));
      }
      case 1 -> scene.withdraw("owner", to -> to.disown("JobSet", "train"));
      case 2 -> scene.gangs.prune();
      case 3, 4 -> {
        int succeeded = random.nextInt(4);
        scene.tell("job " + role, to -> to.job(role, succeeded));
      }
      case 5, 6 -> scene.withdraw("pod " + name, to -> to.lose(name));
      default -> {
        String uid = UIDS.get(random.nextInt(UIDS.size()));
        boolean deleted = random.nextInt(4) == 0;
        String phase = PHASES.get(random.nextInt(PHASES.size()));
        scene.tell("pod " + name, to -> to.member(name, role, uid, deleted, phase));
      }
    }
  }

  @Test
  void sums_equal_those_of_all_objects_after_any_changes() {
    Set<Set<String>> seen = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Scene scene = new Scene();
      for (int step = 0; step < 60; step++) {
        change(scene, random);
        Set<String> sizes = scene.sizes();
        seen.add(sizes);
        assertThat(sizes).as("seed %d, step %d", seed, step).isEqualTo(scene.anew().sizes());
      }
    }
    assertThat(seen).as("cases").hasSizeGreaterThan(10);
  }
}
