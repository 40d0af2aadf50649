package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.deploy.ShippedFiles;
import dev.muster.deploy.live.ExportCommand;
import dev.muster.deploy.live.FitCommand;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.simulator.cli.Simulate;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/// The simulator predicts the waits of a live workload from its export. In the live run, seconds
/// stand for hours.
class PredictionE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long SEED = 42;
  private static final int GANGS = 40;
  private static final int NODES = 4;
  private static final int GPUS = 8;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /// Maximum difference of mean waits. The latency of the control plane is in the measured waits
  /// only.
  private static final double MOST_MEAN_S = 1.5;

  private static final double MOST_OFF_S = 10.0;

  /// Minimum time between a submission and the end of another gang.
  private static final Duration APART = Duration.ofMillis(600);

  private static final Path FOLDER = Path.of("target", "e2e", "PredictionE2E").toAbsolutePath();
  private static final Path JOURNAL = FOLDER.resolve("journal.jsonl");

  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().with("journal: " + JOURNAL);

  /// A gang to be submitted.
  private record Submission(String name, Duration after, int members, int gpus, Duration runtime) {}

  /// The measured and predicted wait of a gang.
  private record Row(String job, int gpus, double measured, double predicted) {
    double off() {
      return Math.abs(predicted - measured);
    }
  }

  @AfterEach
  void forgetGangs() {
    STAGE.gangs().deleteAll();
  }

  @Test
  void simulator_predicts_the_measured_waits() throws Exception {
    STAGE
        .cluster()
        .createNodes(
            IntStream.range(0, NODES)
                .mapToObj(i -> NodeShape.withGpus("n" + i, GPUS))
                .toArray(NodeShape[]::new));
    submit(workload());
    await("all gangs are over")
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(500))
        .until(PredictionE2E::allOver);
    Instant end = Instant.now();
    await("the journal is written until then")
        .atMost(LIMIT)
        .until(() -> ClusterSnapshot.read(JOURNAL).at().isAfter(end));
    Path planner = planner();
    Path export = FOLDER.resolve("export");
    print(
        run(
            new CommandLine(new ExportCommand()),
            "--kubeconfig",
            planner.toString(),
            "--journal",
            JOURNAL.toString(),
            "--out",
            export.toString()));
    Path result = FOLDER.resolve("result");
    run(
        Simulate.commandLine(),
        "run",
        "--cluster",
        export.resolve("cluster.jsonl").toString(),
        "--trace",
        export.resolve("jobs.jsonl").toString(),
        "--latency",
        latency(export.resolve("jobs.jsonl")),
        "--out",
        result.toString());

    List<Row> rows = rows(export.resolve("jobs.jsonl"), result.resolve("jobs.csv"));
    print(table(rows));
    assertThat(rows).hasSize(GANGS);
    assertThat(mean(rows)).as("mean difference").isLessThan(MOST_MEAN_S);
    assertThat(rows).allMatch(row -> row.off() < MOST_OFF_S);
    assertThat(rows.stream().mapToDouble(Row::measured).max().orElse(0))
        .as("gangs had to wait, else there is nothing to predict")
        .isGreaterThan(10);
    assertThat(
            run(
                Simulate.commandLine(),
                "replay",
                JOURNAL.toString(),
                "--preemption",
                ShippedFiles.folder().resolve("manifests/server/preemption.yaml").toString()))
        .contains("Every decision is the same.");
    assertThat(
            run(
                new CommandLine(new FitCommand()),
                "--kubeconfig",
                planner.toString(),
                ShippedFiles.folder().resolve("examples/lone-gpu-pod.yaml").toString()))
        .contains("default/notebook starts now");
  }

  // ---- The workload ----

  private static List<Submission> workload() {
    Random random = new Random(SEED);
    List<Submission> gangs = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < GANGS; i++) {
      at += -Math.log(1 - random.nextDouble());
      int members = List.of(1, 1, 1, 2, 2, 4).get(random.nextInt(6));
      int gpus = List.of(1, 2, 4, 8).get(random.nextInt(4));
      Duration runtime = Duration.ofMillis(3_000 + random.nextInt(9_000));
      while (isNearAnEnd(gangs, millis(at))) {
        at += 0.1;
      }
      gangs.add(new Submission("g%02d".formatted(i), millis(at), members, gpus, runtime));
    }
    return gangs;
  }

  /// True if a gang that started at once would end at nearly the same time. Which of both is first
  /// would hang on tenths of a second of the control plane, and with it the places of all later
  /// gangs.
  private static boolean isNearAnEnd(List<Submission> gangs, Duration at) {
    return gangs.stream()
        .map(gang -> gang.after().plus(gang.runtime()).minus(at).abs())
        .anyMatch(apart -> apart.compareTo(APART) < 0);
  }

  private static Duration millis(double seconds) {
    return Duration.ofMillis(Math.round(1_000 * seconds));
  }

  private static void submit(List<Submission> gangs) throws InterruptedException {
    Instant start = Instant.now();
    for (Submission gang : gangs) {
      Duration left = Duration.between(Instant.now(), start.plus(gang.after()));
      Thread.sleep(Math.max(0, left.toMillis()));
      STAGE.gangs().declare(gang.name(), gang.members());
      for (int i = 0; i < gang.members(); i++) {
        PodBuilder pod = TestGangs.member(gang.name(), i, gang.gpus());
        String runs = gang.runtime().toMillis() + "ms";
        STAGE
            .cluster()
            .create(pod.editMetadata().addToAnnotations(TestCluster.RUN_FOR, runs).endMetadata());
      }
    }
  }

  private static boolean allOver() {
    List<Pod> pods = STAGE.admin().pods().inNamespace("default").list().getItems();
    return pods.stream().allMatch(pod -> "Succeeded".equals(pod.getStatus().getPhase()));
  }

  // ---- Whoever exports may only read ----

  private static Path planner() {
    var admin = STAGE.admin();
    admin
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("planner")
                .withNamespace("default")
                .endMetadata()
                .build())
        .create();
    admin
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName("planner")
                .endMetadata()
                .addNewRule()
                .withApiGroups("", "scheduling.k8s.io", "scheduling.x-k8s.io", "resource.k8s.io")
                .withResources(
                    "nodes",
                    "pods",
                    "priorityclasses",
                    "podgroups",
                    "deviceclasses",
                    "resourceslices",
                    "resourceclaims",
                    "resourceclaimtemplates")
                .withVerbs("get", "list")
                .endRule()
                .build())
        .create();
    admin
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName("planner")
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "planner")
                .addNewSubject("", "ServiceAccount", "planner", "default")
                .build())
        .create();
    return STAGE.plane().kubeconfig(STAGE.plane().serviceAccountToken("default", "planner"));
  }

  // ---- The comparison ----

  private static String run(CommandLine command, String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        command
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(words);
    assertThat(code).as(out + "\n" + err).isZero();
    return out.toString();
  }

  private static List<Row> rows(Path trace, Path jobs) throws IOException {
    Map<String, Double> predicted = new TreeMap<>();
    List<String> table = Files.readAllLines(jobs);
    List<String> columns = List.of(table.getFirst().split(",", -1));
    for (String line : table.subList(1, table.size())) {
      String[] cells = line.split(",", -1);
      predicted.put(
          cells[columns.indexOf("job_id")], Double.valueOf(cells[columns.indexOf("wait_s")]));
    }
    List<Row> rows = new ArrayList<>();
    List<String> lines = Files.readAllLines(trace);
    for (String line : lines.subList(1, lines.size())) {
      var job = JSON.readTree(line);
      String id = job.path("id").asText();
      double waited = (job.path("started_ms").asLong() - job.path("submit_ms").asLong()) / 1000.0;
      int gpus = job.path("workers").asInt() * job.path("gpus").asInt();
      rows.add(new Row(id, gpus, waited, predicted.getOrDefault(id, Double.NaN)));
    }
    return rows;
  }

  /// Returns the latency of the control plane as exported.
  private static String latency(Path trace) throws IOException {
    Matcher said = Pattern.compile("--latency (\\S+) ").matcher(Files.readString(trace));
    assertThat(said.find()).isTrue();
    return said.group(1);
  }

  private static double mean(List<Row> rows) {
    return rows.stream().mapToDouble(Row::off).average().orElseThrow();
  }

  private static String table(List<Row> rows) {
    StringBuilder text = new StringBuilder("gang         gpus  measured  predicted  difference\n");
    for (Row row : rows) {
      text.append(
          "%-12s %4d %8.1fs %9.1fs %10.1fs%n"
              .formatted(
                  row.job(),
                  row.gpus(),
                  row.measured(),
                  row.predicted(),
                  row.predicted() - row.measured()));
    }
    Row worst = rows.stream().max(Comparator.comparingDouble(Row::off)).orElseThrow();
    return text.append(
            "%d gangs: mean wait measured %.2f s, predicted %.2f s; mean difference %.2f s, largest %.2f s (%s)%n"
                .formatted(
                    rows.size(),
                    rows.stream().mapToDouble(Row::measured).average().orElseThrow(),
                    rows.stream().mapToDouble(Row::predicted).average().orElseThrow(),
                    mean(rows),
                    worst.off(),
                    worst.job()))
        .toString();
  }

  private static void print(String text) {
    System.out.println(text);
  }
}
