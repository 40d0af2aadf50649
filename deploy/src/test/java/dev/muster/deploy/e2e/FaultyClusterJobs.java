package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The jobs of a [FaultyCluster] and their controllers. A missing member is recreated, a failed one
/// is deleted first, and a finished job is deleted.
final class FaultyClusterJobs {
  private static final String LABEL = "job";

  /// Maximum time for which a gang may be half started without faults: three times `bindTimeout`.
  private static final Duration MOST_HALF = Duration.ofSeconds(60);

  private final TestStage stage;
  private final TestCluster cluster;
  private final TestGangs gangs;
  private final Random random;
  private final Consumer<String> story;
  private final Map<String, Job> jobs = new TreeMap<>();
  private final Set<String> whole = new HashSet<>();
  private final Map<String, Long> halfSince = new TreeMap<>();
  private int numbers;

  /// A job: a gang, or a lone pod.
  ///
  /// @param least how many of its members must start together
  /// @param seconds how long each member runs
  private record Job(
      String name, int members, int least, int gpus, int priority, int seconds, boolean lone) {
    String gang() {
      return lone ? pod(0) : name;
    }

    String pod(int index) {
      return name + "-" + index;
    }

    boolean isRunning(List<Pod> mates) {
      return mates.stream().filter(pod -> isIn(pod, "Running") || isIn(pod, "Succeeded")).count()
          == members;
    }
  }

  FaultyClusterJobs(TestStage stage, Random random, Consumer<String> story) {
    this.stage = stage;
    this.cluster = stage.cluster();
    this.gangs = stage.gangs();
    this.random = random;
    this.story = story;
    new TestPriorities(stage.admin()).create(0, 50, 100);
  }

  int count() {
    return jobs.size();
  }

  // ---- What happens ----

  void arrive() {
    boolean lone = random.nextInt(4) == 0;
    int members = lone ? 1 : 1 + random.nextInt(6);
    int least = random.nextInt(3) == 0 ? 1 + random.nextInt(members) : members;
    int gpus = List.of(0, 1, 1, 2, 4, 8, 8).get(random.nextInt(7));
    int priority = List.of(0, 0, 50, 100).get(random.nextInt(4));
    int seconds = 3 + random.nextInt(40);
    Job job = new Job("j" + numbers++, members, least, gpus, priority, seconds, lone);
    jobs.put(job.name(), job);
    story.accept("comes: " + job);
    if (random.nextInt(4) == 0) { // the PodGroup comes after the pods
      create(job, Set.of());
    }
    if (!lone) {
      gangs.declare(job.name(), least, wishes());
    }
  }

  private Map<String, String> wishes() {
    return switch (random.nextInt(5)) {
      case 0 -> Map.of("muster.dev/topology-required", FaultyCluster.RACK);
      case 1 -> Map.of("muster.dev/topology-preferred", FaultyCluster.RACK);
      case 2 -> Map.of("muster.dev/runtime", "1m");
      default -> Map.of();
    };
  }

  void endAny() {
    any().ifPresent(this::end);
  }

  void endAll() {
    List.copyOf(jobs.values()).forEach(this::end);
  }

  private void end(Job job) {
    story.accept("ends: " + job.name());
    jobs.remove(job.name());
    whole.remove(job.name());
    halfSince.remove(job.name());
    if (!job.lone()) {
      gangs.delete(job.name());
    }
    stage.admin().pods().inNamespace("default").withLabel(LABEL, job.name()).delete();
  }

  void killPod() {
    any()
        .map(job -> job.pod(random.nextInt(job.members())))
        .ifPresent(pod -> {
          story.accept("dies: " + pod);
          cluster.delete(pod);
        });
  }

  private Optional<Job> any() {
    return jobs.isEmpty()
        ? Optional.empty()
        : Optional.of(List.copyOf(jobs.values()).get(random.nextInt(jobs.size())));
  }

  // ---- Controllers ----

  /// Recreates missing members and deletes finished jobs.
  ///
  /// @param calm whether everything works: then no gang may stand half started for long
  void control(boolean calm) {
    Map<String, List<Pod>> pods = pods();
    for (Job job : List.copyOf(jobs.values())) {
      List<Pod> mates = pods.getOrDefault(job.name(), List.of());
      if (mates.stream().filter(pod -> isIn(pod, "Succeeded")).count() == job.members()) {
        end(job);
      } else {
        mates.stream().filter(pod -> isIn(pod, "Failed")).forEach(this::remove);
        create(job, mates.stream().map(FaultyCluster::name).collect(Collectors.toSet()));
        look(job, mates, calm);
      }
    }
  }

  /// A kubelet refuses a pod whose GPUs vanished while it was bound: it is over at once.
  private void remove(Pod failed) {
    story.accept("failed: " + FaultyCluster.name(failed));
    cluster.delete(FaultyCluster.name(failed));
  }

  private void create(Job job, Set<String> there) {
    for (int i = 0; i < job.members(); i++) {
      if (!there.contains(job.pod(i))) {
        var pod =
            job.lone()
                ? TestCluster.gpuPod(job.pod(i), job.gpus())
                : TestGangs.member(job.name(), i, job.gpus());
        cluster.create(
            TestPriorities.of(pod, job.priority())
                .editMetadata()
                .addToLabels(LABEL, job.name())
                .addToAnnotations(TestCluster.RUN_FOR, job.seconds() + "s")
                .endMetadata());
      }
    }
  }

  // ---- Looking ----

  /// A gang that never ran whole stands half started only for a bounded time.
  private void look(Job job, List<Pod> mates, boolean calm) {
    long running =
        mates.stream()
            .filter(
                pod -> TestGangs.isBound(pod) && pod.getMetadata().getDeletionTimestamp() == null)
            .count();
    if (running >= job.least()) {
      whole.add(job.name());
    }
    if (!calm || running == 0 || whole.contains(job.name())) {
      halfSince.remove(job.name());
    } else if (System.nanoTime() - halfSince.computeIfAbsent(job.name(), _ -> System.nanoTime())
        > MOST_HALF.toNanos()) {
      throw new AssertionError(
          "%d of %d members stand alone for %s: %s"
              .formatted(running, job.least(), MOST_HALF, told(job)));
    }
  }

  /// Returns when every member of every job runs or has succeeded.
  ///
  /// @param meanwhile what else is done again and again
  void awaitAllRunning(Duration limit, Runnable meanwhile) {
    await("every job runs")
        .atMost(limit)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(() -> {
          meanwhile.run();
          control(true);
          Map<String, List<Pod>> pods = pods();
          List<String> idle =
              jobs.values().stream()
                  .filter(job -> !job.isRunning(pods.getOrDefault(job.name(), List.of())))
                  .map(this::told)
                  .toList();
          if (!idle.isEmpty()) {
            throw new AssertionError("not running: " + idle);
          }
        });
  }

  /// Returns Muster's status of the job.
  private String told(Job job) {
    return job + " " + stage.page("/api/v1/gangs/default/" + job.gang());
  }

  private Map<String, List<Pod>> pods() {
    return stage.admin().pods().inNamespace("default").list().getItems().stream()
        .collect(
            Collectors.groupingBy(
                pod -> pod.getMetadata().getLabels().getOrDefault(LABEL, ""),
                TreeMap::new,
                Collectors.toList()));
  }

  private static boolean isIn(Pod pod, String phase) {
    return phase.equals(pod.getStatus().getPhase());
  }
}
