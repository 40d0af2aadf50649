package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/// A cluster with [jobs][FaultyClusterJobs] in which nodes, kubelets, kube-scheduler, API server
/// and Muster fail and recover. Events are drawn from a seed. Their times depend on the machine.
final class FaultyCluster {
  static final String RACK = "example.com/rack";

  private static final int MOST_JOBS = 24;
  private static final int MOST_MEMBERS = 6;
  private static final int NODES = 8;
  private static final int GPUS = 8;
  private static final Duration MOST_BROKEN = Duration.ofSeconds(20);
  private static final Duration API_SERVER_AWAY = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final TestStage stage;
  private final TestCluster cluster;
  private final Random random;
  private final FaultyClusterJobs jobs;
  private final List<String> story = new ArrayList<>();
  private Optional<Broken> broken = Optional.empty();

  /// A process that does not do its work until then, and what makes it work again.
  private record Broken(long until, Runnable remedy) {}

  FaultyCluster(TestStage stage, long seed) {
    this.stage = stage;
    this.cluster = stage.cluster();
    this.random = new Random(seed);
    this.jobs = new FaultyClusterJobs(stage, random, this::say);
    for (int i = 0; i < NODES; i++) {
      cluster.createNodes(node("n" + i, i / 2));
    }
  }

  private static NodeShape node(String name, int rack) {
    return NodeShape.withGpus(name, GPUS).withLabel(RACK, "r" + rack);
  }

  FaultyClusterJobs jobs() {
    return jobs;
  }

  /// Returns the events so far, one per line.
  List<String> story() {
    return List.copyOf(story);
  }

  private void say(String what) {
    story.add(Instant.now() + " " + what);
  }

  /// Something happens; then controllers and kubelets do their work.
  void turn() {
    switch (random.nextInt(120)) {
      case 0, 1, 2, 3 -> jobs.endAny();
      case 4, 5, 6, 7, 8, 9 -> jobs.killPod();
      case 10, 11 -> kubelet(false);
      case 12, 13, 14, 15 -> kubelet(true);
      case 16, 17 -> loseNode();
      case 18, 19, 20, 21 -> returnNodes();
      case 22, 23 -> cordon(true);
      case 24, 25, 26, 27 -> cordon(false);
      case 28, 29 -> devices(0);
      case 30, 31, 32, 33 -> devices(GPUS);
      case 34, 35, 36, 37 -> breakSomething();
      case 38 -> restartApiServer();
      default -> {
        if (jobs.count() < MOST_JOBS) {
          jobs.arrive();
        }
      }
    }
    if (broken.filter(it -> System.nanoTime() > it.until()).isPresent()) {
      mend();
    }
    buryOrphans();
    restartEnded();
    jobs.control(broken.isEmpty());
    pass(PAUSE);
  }

  /// Up to so much time passes.
  private void pass(Duration most) {
    try {
      Thread.sleep(random.nextLong(most.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  // ---- Nodes ----

  private List<Node> nodes() {
    return stage.admin().nodes().list().getItems();
  }

  static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  private Optional<String> anyNode() {
    List<Node> nodes = nodes();
    return nodes.isEmpty()
        ? Optional.empty()
        : Optional.of(name(nodes.get(random.nextInt(nodes.size()))));
  }

  private void kubelet(boolean alive) {
    anyNode()
        .ifPresent(node -> {
          say("kubelet of " + node + " alive: " + alive);
          cluster.tellKubelet(node, alive);
        });
  }

  private void cordon(boolean cordoned) {
    anyNode()
        .ifPresent(node -> {
          say(node + " cordoned: " + cordoned);
          cluster.cordon(node, cordoned);
        });
  }

  private void devices(int gpus) {
    anyNode()
        .ifPresent(node -> {
          say("GPUs of " + node + ": " + gpus);
          cluster.setAllocatable(node, NodeShape.GPU, Integer.toString(gpus));
        });
  }

  private void loseNode() {
    anyNode()
        .ifPresent(node -> {
          say("is lost: " + node);
          cluster.deleteNode(node);
        });
  }

  private void returnNodes() {
    Set<String> there = nodes().stream().map(FaultyCluster::name).collect(Collectors.toSet());
    for (int i = 0; i < NODES; i++) {
      if (!there.contains("n" + i)) {
        say("is back: n" + i);
        create("n" + i, i / 2);
      }
    }
  }

  private void create(String name, int rack) {
    stage.admin().resource(TestCluster.node(node(name, rack))).create();
  }

  /// The pods of nodes that are gone are deleted, as the collector of garbage does.
  private void buryOrphans() {
    Set<String> there = nodes().stream().map(FaultyCluster::name).collect(Collectors.toSet());
    stage.admin().pods().inNamespace("default").list().getItems().stream()
        .filter(pod -> TestGangs.isBound(pod) && !there.contains(pod.getSpec().getNodeName()))
        .forEach(pod -> stage.admin().resource(pod).withGracePeriod(0).delete());
  }

  // ---- Processes ----

  /// One thing at a time; all else goes on meanwhile.
  private void breakSomething() {
    if (broken.isPresent()) {
      return;
    }
    switch (random.nextInt(4)) {
      case 0 -> breaks("Muster is killed", stage::killMuster, stage.process()::start);
      case 1 ->
          breaks(
              "Muster is frozen",
              () -> stage.process().signal("STOP"),
              () -> stage.process().signal("CONT"));
      case 2 -> breaks("Muster is cut off", stage.relay()::cut, stage.relay()::mend);
      default ->
          breaks(
              "kube-scheduler is killed",
              () -> stage.plane().kill(ControlPlaneComponent.SCHEDULER),
              () -> stage.plane().start(ControlPlaneComponent.SCHEDULER));
    }
  }

  private void breaks(String what, Runnable harm, Runnable remedy) {
    say(what);
    harm.run();
    long until = System.nanoTime() + random.nextLong(MOST_BROKEN.toNanos());
    broken = Optional.of(new Broken(until, remedy));
  }

  private void mend() {
    say("mended");
    broken.ifPresent(it -> it.remedy().run());
    broken = Optional.empty();
  }

  private void restartApiServer() {
    say("the API server is killed");
    stage.plane().stopApiServer();
    pass(API_SERVER_AWAY);
    stage.plane().startApiServer();
  }

  /// Restarts processes that ended by themselves, as kubelets do. A kube-scheduler exits when a pod
  /// is on another node than it believed before the API server died.
  private void restartEnded() {
    if (broken.isPresent()) {
      return;
    }
    if (!stage.plane().isAlive(ControlPlaneComponent.SCHEDULER)) {
      say("kube-scheduler has ended and is started");
      stage.plane().start(ControlPlaneComponent.SCHEDULER);
    }
    if (!stage.process().isAlive()) {
      say("Muster has ended and is started");
      stage.process().start();
    }
  }

  // ---- Calm ----

  /// All that broke is mended, and there is room for everybody; returns when every job runs.
  void calm(Duration limit) {
    say("calm");
    mend();
    restartEnded();
    returnNodes();
    for (Node node : nodes()) {
      cluster.cordon(name(node), false);
      cluster.setAllocatable(name(node), NodeShape.GPU, Integer.toString(GPUS));
      cluster.tellKubelet(name(node), true);
    }
    for (int i = 0; i < MOST_JOBS * MOST_MEMBERS; i++) {
      create("spare-" + i, NODES + i / MOST_MEMBERS);
    }
    await("Muster works").atMost(limit).until(stage::isReady);
    // A kube-scheduler may find out only now that the API server had died.
    jobs.awaitAllRunning(limit, this::restartEnded);
  }
}
