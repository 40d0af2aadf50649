package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A cluster whose gangs of higher priority preempt others, by a policy in a file.
abstract class PreemptionScene {
  private static final Path E2E = Path.of("target", "e2e").toAbsolutePath();

  static final String AT_ONCE =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicy
      rules:
        - {name: told-first, to: {labels: {told: first}}, when: preemptor.priority > victim.priority, action: Allow, notice: 20s}
        - {name: higher-priority, when: preemptor.priority > victim.priority, action: Allow}
      limits: {cooldown: 2s, evictionsPerHour: 10000, maxPreemptions: {count: 1000, per: 1h}}
      """;

  final TestStage stage;
  final TestCluster cluster;
  final TestGangs gangs;
  final Path policy;
  final Path ledger;

  PreemptionScene(TestStage stage, String name) {
    this.stage = stage;
    this.cluster = stage.cluster();
    this.gangs = stage.gangs();
    this.policy = policy(name);
    this.ledger = ledger(name);
  }

  /// Returns a stage with its own policy file and ledger.
  static TestStage stage(String name) {
    return stage(name, "");
  }

  /// Returns such a stage with more fields of the configuration.
  static TestStage stage(String name, String more) {
    try {
      Files.createDirectories(policy(name).getParent());
      Files.deleteIfExists(ledger(name));
      Files.writeString(policy(name), AT_ONCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return TestStage.asShipped()
        .with(
            "preemption: {policy: '%s', ledger: '%s'}\n%s"
                .formatted(E2E.resolve(name), ledger(name), more));
  }

  private static Path policy(String name) {
    return E2E.resolve(name).resolve("policy.yaml");
  }

  private static Path ledger(String name) {
    return E2E.resolve(name + "-ledger.jsonl");
  }

  @BeforeEach
  void createPriorities() {
    new TestPriorities(stage.admin()).create(100, 200);
  }

  @AfterEach
  void restorePolicy() throws IOException {
    Files.writeString(policy, AT_ONCE);
  }

  void nodes(String prefix, int count) {
    cluster.createNodes(
        IntStream.range(0, count)
            .mapToObj(i -> NodeShape.withGpus(prefix + i, 8))
            .toArray(NodeShape[]::new));
  }

  void runs(String gang, int members) {
    gangs.awaitRunning(gang, members);
  }

  long running(String prefix) {
    return stage.admin().pods().inNamespace("default").list().getItems().stream()
        .filter(pod -> pod.getMetadata().getName().startsWith(prefix))
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .count();
  }
}
