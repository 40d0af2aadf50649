package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures the time from the start of Muster's process to its first decision in a full cluster.
/// For comparison, a client lists these objects page by page and parses none of them.
///
/// ```
/// deploy/e2e.sh -De2e=ColdStartBench                     # 5,000 nodes, 50,000 pods, 2,000 gangs
/// deploy/e2e.sh -De2e=ColdStartBench -Dbench.scale=0.1
/// ```
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 2, unit = TimeUnit.HOURS)
class ColdStartBench {
  private static final double SCALE = Double.parseDouble(System.getProperty("bench.scale", "1"));
  private static final int LAPS = Integer.getInteger("bench.laps", 3);
  private static final int NODES = scaled(5_000);
  private static final int GANGS = scaled(2_000);
  private static final int MEMBERS = 16;
  private static final int LONE = scaled(7_000);
  private static final int WITHOUT_GPU = scaled(11_000);
  private static final int PAGE = 1_000;
  private static final int HEAD = 2_000;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration REST = Duration.ofSeconds(2);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Pattern CONTINUE = Pattern.compile("\"continue\":\"([^\"]+)\"");
  private static final List<String> LISTS =
      List.of(
          "/api/v1/namespaces",
          "/api/v1/nodes",
          "/api/v1/pods",
          "/apis/scheduling.x-k8s.io/v1alpha1/podgroups",
          "/apis/scheduling.k8s.io/v1/priorityclasses");

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped().withMemory(System.getProperty("bench.heap", "2g"));

  private static int scaled(int count) {
    return (int) Math.ceil(count * SCALE);
  }

  @Test
  void to_the_first_decision() throws IOException {
    var bulk = new BulkObjects(STAGE.admin());
    bulk.nodes(NODES);
    bulk.allowPlacedPods();
    STAGE.killMuster();
    bulk.create(running());
    await("all pods run").atMost(LIMIT).pollInterval(REST).until(ColdStartBench::allRun);
    var text =
        new StringBuilder(
            """
            %d nodes, %d pods, %d gangs
            | lap | bare list | ready | first decision | ratio | processor time of kube-apiserver for the list | for the start | of Muster |
            |---|---|---|---|---|---|---|---|
            """
                .formatted(NODES, GANGS * MEMBERS + LONE + WITHOUT_GPU, GANGS));
    for (int lap = 0; lap < LAPS; lap++) {
      text.append(lap(lap));
    }
    System.out.println(text);
    Files.writeString(STAGE.plane().logs().resolve("cold-start.md"), text);
    bulk.clear();
  }

  /// Whether the kubelets are done with all pods, so that they do not write while Muster starts.
  private static boolean allRun() {
    return STAGE
        .admin()
        .raw("/api/v1/pods?fieldSelector=status.phase%3DPending&limit=1")
        .contains("\"items\":[]");
  }

  /// The pods that run already, up to 8 GPUs on each node.
  private static List<List<BulkObjects.Creation>> running() {
    var all = new ArrayList<List<BulkObjects.Creation>>();
    int gpus = 0;
    for (int gang = 0; gang < GANGS; gang++) {
      String name = "runs" + gang;
      var creations = new ArrayList<>(List.of(BulkObjects.group(name, MEMBERS)));
      for (int member = 0; member < MEMBERS; member++) {
        creations.add(BulkObjects.bound(TestGangs.member(name, member, 1), gpus++ / 8));
      }
      all.add(creations);
    }
    for (int pod = 0; pod < LONE; pod++) {
      all.add(List.of(BulkObjects.bound(TestCluster.gpuPod("lone" + pod, 1), gpus++ / 8)));
    }
    for (int pod = 0; pod < WITHOUT_GPU; pod++) {
      all.add(List.of(BulkObjects.bound(withoutGpu("cpu" + pod), pod % NODES)));
    }
    return all;
  }

  private static PodBuilder withoutGpu(String name) {
    return TestCluster.gpuPod(name, 0)
        .editSpec()
        .editFirstContainer()
        .withResources(null)
        .endContainer()
        .endSpec();
  }

  private static String lap(int lap) {
    STAGE.killMuster();
    String pod = "first" + lap;
    // As the webhook makes it; Muster is down.
    STAGE
        .cluster()
        .create(
            TestCluster.gpuPod(pod, 1)
                .editSpec()
                .addNewSchedulingGate("muster.dev/gang")
                .endSpec());
    List<Long> lists = new ArrayList<>(List.of(listAll()));
    CpuTime idle = CpuTime.now();
    lists.add(listAll());
    CpuTime listed = CpuTime.now().since(idle);
    CpuTime stopped = CpuTime.now();
    long start = System.nanoTime();
    STAGE.startMuster(LIMIT);
    long ready = System.nanoTime() - start;
    await("the first decision")
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL)
        .until(() -> isToldOf(pod));
    long decided = System.nanoTime() - start;
    CpuTime used = CpuTime.now().since(stopped);
    STAGE.cluster().delete(pod);
    STAGE.killMuster();
    lists.add(listAll());
    Collections.sort(lists);
    long list = lists.get(1);
    return "| %d | %s | %s | %s | %.2f | %d ms | %d ms | %d ms |%n"
        .formatted(
            lap,
            ms(list),
            ms(ready),
            ms(decided),
            (double) decided / list,
            listed.millis().getOrDefault("kube-apiserver", 0L),
            used.millis().getOrDefault("kube-apiserver", 0L),
            used.millis().getOrDefault("Muster", 0L));
  }

  private static String ms(long nanos) {
    return "%.0f ms".formatted(nanos / 1e6);
  }

  private static boolean isToldOf(String pod) {
    return STAGE
        .cluster()
        .find(pod)
        .filter(p -> p.getStatus().getNominatedNodeName() != null || TestGangs.isBound(p))
        .isPresent();
  }

  /// Lists every kind that Muster follows, one page after the other, and looks for the next page's
  /// token only.
  private static long listAll() {
    long start = System.nanoTime();
    LISTS.forEach(ColdStartBench::list);
    return System.nanoTime() - start;
  }

  private static void list(String path) {
    Optional<String> next = Optional.of("");
    while (next.isPresent()) {
      String page =
          STAGE
              .admin()
              .raw(
                  path
                      + "?limit="
                      + PAGE
                      + next.filter(token -> !token.isEmpty())
                          .map(token -> "&continue=" + token)
                          .orElse(""));
      var token = CONTINUE.matcher(page).region(0, Math.min(page.length(), HEAD));
      next = token.find() ? Optional.of(token.group(1)) : Optional.empty();
    }
  }
}
