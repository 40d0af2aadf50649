package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/// Jobs that come and go on 64 GPUs while something happens to Muster, under a [ClusterAudit].
///
/// A third of the GPUs belongs to gangs of the lowest priority that the policy protects. The others
/// are too few, so gangs of higher priority preempt.
final class LongRun implements AutoCloseable {
  private static final int NODES = 8;
  private static final int GPUS = 8;
  private static final int MOST_JOBS = 24;
  private static final int MOST_MEMBERS = 6;
  private static final int KEPT = 3;
  private static final Duration TURN = Duration.ofMillis(150);
  private static final Duration CALM = Duration.ofMinutes(4);

  /// The file with the policy of such runs, by which their journals are replayed.
  static final Path POLICY = Path.of("target", "e2e-policy", "long-run.yaml").toAbsolutePath();

  private static final String ENFORCED =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicy
      rules:
        - {name: higher-priority, when: preemptor.priority > victim.priority, action: Allow}
      protect:
        - {name: kept, victims: {labels: {audit.muster.dev/protected: "yes"}}}
      limits: {cooldown: 2s, evictionsPerHour: 10000, maxPreemptions: {count: 1000, per: 1h}}
      """;

  private final TestStage stage;
  private final FaultyClusterJobs jobs;
  private final ClusterAudit audit;
  private final Random random;
  private final StringBuilder text = new StringBuilder();
  private final Path report;

  /// Creates nodes and protected gangs, and begins the audit.
  ///
  /// @param mostHalf how long a gang may stay half bound
  LongRun(TestStage stage, String name, Duration mostHalf) {
    this.stage = stage;
    this.random = new Random(Long.getLong("bench.seed", 1));
    this.report = stage.plane().logs().resolve(name + ".md");
    this.jobs = new FaultyClusterJobs(stage, random, _ -> {});
    stage
        .cluster()
        .createNodes(
            IntStream.range(0, NODES)
                .mapToObj(i ->
                    NodeShape.withGpus("n" + i, GPUS).withLabel(FaultyCluster.RACK, "r" + i / 2))
                .toArray(NodeShape[]::new));
    this.audit = new ClusterAudit(stage.admin(), mostHalf);
    for (int i = 0; i < KEPT; i++) {
      stage.gangs().declare("kept" + i, 2);
      stage.gangs().label("kept" + i, Map.of(ClusterAudit.PROTECTED, "yes"));
      stage.gangs().createMember("kept" + i, 0, 4);
      stage.gangs().createMember("kept" + i, 1, 4);
      stage.gangs().awaitRunning("kept" + i, 2);
    }
  }

  /// The configuration of a stage for such runs.
  ///
  /// @param more further top-level fields
  static String configuration(String policyFields, String more) {
    try {
      Files.createDirectories(POLICY.getParent());
      Files.writeString(POLICY, ENFORCED);
      return """
      gangs: {bindTimeout: 20s, repairTimeout: 20s}
      topology: {levels: [{name: rack, label: example.com/rack}]}
      preemption: {policy: '%s'%s}
      %s
      """
          .formatted(POLICY, policyFields, more);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Jobs come and go for so long.
  void goOn(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      if (jobs.count() < MOST_JOBS && random.nextInt(4) > 0) {
        jobs.arrive();
      }
      jobs.control(false); // The audit judges how long gangs are half bound.
      pause(TURN);
    }
  }

  /// Notes a line of the report.
  void say(String line) {
    System.out.println(line);
    text.append(Instant.now()).append(' ').append(line).append(System.lineSeparator());
  }

  /// No more jobs come, and there is room for all. Returns when they run, with what was found.
  ClusterAudit.Findings end() {
    long from = System.nanoTime();
    for (int i = 0; i < MOST_JOBS * MOST_MEMBERS; i++) {
      NodeShape spare = NodeShape.withGpus("spare" + i, GPUS);
      String rack = "s" + i / MOST_MEMBERS;
      stage.admin().resource(TestCluster.node(spare.withLabel(FaultyCluster.RACK, rack))).create();
    }
    jobs.awaitAllRunning(CALM, () -> {});
    say("all jobs run after %d s".formatted((System.nanoTime() - from) / 1_000_000_000));
    ClusterAudit.Findings findings = audit.findings();
    say(findings.text());
    return findings;
  }

  /// Returns how many steps the engine took, and for how long.
  static String steps(TestStage stage) {
    return stage
        .page("/metrics")
        .lines()
        .filter(line -> line.startsWith("muster_engine_step") && !line.contains("_bucket"))
        .toList()
        .toString();
  }

  static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  /// Writes the report.
  @Override
  public void close() throws IOException {
    audit.close();
    Files.writeString(report, text);
    jobs.endAll();
  }
}
