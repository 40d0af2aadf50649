package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What it costs that thousands of gangs wait while nothing changes: writes at the API server, calls
 * of kube-scheduler, and processor time, over a minute.
 *
 * <pre>
 * deploy/e2e.sh -De2e=WaitingBench                     # 10,000 gangs
 * deploy/e2e.sh -De2e=WaitingBench -Dbench.scale=0.1
 * </pre>
 *
 * Not part of the tests: its name is no test's name.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class WaitingBench {
  private static final double SCALE = Double.parseDouble(System.getProperty("bench.scale", "1"));
  private static final int GANGS = (int) Math.ceil(10_000 * SCALE);
  private static final int NODES = 100;
  private static final int MEMBERS = 2;
  private static final Duration SPELL = Duration.ofMinutes(1);
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)\\{(.*)} ([0-9.e+]+)$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  @RegisterExtension static final Stage STAGE = Stage.asShipped();

  @Test
  void minuteInWhichNothingChanges() throws IOException, InterruptedException {
    var bulk = new Bulk(STAGE.admin());
    bulk.nodes(NODES);
    bulk.create(
        IntStream.range(0, NODES)
            .mapToObj(i -> List.of(Bulk.bound(Cluster.gpuPod("runs" + i, 8), i)))
            .toList());
    bulk.create(
        IntStream.range(0, GANGS).mapToObj(i -> Bulk.gang("waits" + i, MEMBERS, 8)).toList());
    awaitQuiet();

    Map<String, Double> calls = calls();
    CpuTime cpu = CpuTime.now();
    await("a minute").pollDelay(SPELL).atMost(SPELL.multipliedBy(2)).until(() -> true);
    CpuTime used = CpuTime.now().since(cpu);
    Map<String, Double> more = calls();

    var text = new StringBuilder("%d gangs wait, over %s:%n".formatted(GANGS, SPELL));
    more.forEach((call, count) -> {
      double delta = count - calls.getOrDefault(call, 0.0);
      if (delta > 0) {
        text.append("%s: %.0f%n".formatted(call, delta));
      }
    });
    used.millis()
        .forEach((name, ms) ->
            text.append(
                "%s: %.2f %% of a processor%n".formatted(name, ms * 100.0 / SPELL.toMillis())));
    System.out.println(text);
    Files.writeString(STAGE.plane().logs().resolve("waiting.md"), text);
    bulk.clear();
  }

  /** Waits until half a minute has passed without a write. */
  private static void awaitQuiet() throws IOException, InterruptedException {
    Map<String, Double> before;
    Map<String, Double> now = calls();
    do {
      before = now;
      await("quiet")
          .pollDelay(Duration.ofSeconds(35))
          .atMost(Duration.ofMinutes(2))
          .until(() -> true);
      now = calls();
    } while (!now.equals(before));
  }

  /** Writes of pods, PodGroups and Events at the API server, and calls to Muster, so far. */
  private static Map<String, Double> calls() throws IOException, InterruptedException {
    var calls = new TreeMap<String, Double>();
    sum(calls, STAGE.admin().raw("/metrics"), "apiserver_request_total", "verb", "resource");
    calls
        .keySet()
        .removeIf(
            call -> call.matches(".* (GET|LIST|WATCH) .*|.* (leases|endpointslices|endpoints)"));
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(STAGE.muster().resolve("/metrics")).build();
      String metrics = http.send(request, BodyHandlers.ofString()).body();
      sum(calls, metrics, "muster_http_request_duration_seconds_count", "endpoint", "outcome");
    }
    calls.keySet().removeIf(call -> call.contains("metrics"));
    return calls;
  }

  private static void sum(
      Map<String, Double> to, String metrics, String name, String first, String second) {
    var sample = SAMPLE.matcher(metrics);
    while (sample.find()) {
      if (sample.group(1).equals(name)) {
        var labels = new TreeMap<String, String>();
        LABEL.matcher(sample.group(2)).results().forEach(l -> labels.put(l.group(1), l.group(2)));
        String key = "%s %s %s".formatted(name, labels.get(first), labels.get(second));
        to.merge(key, Double.parseDouble(sample.group(3)), Double::sum);
      }
    }
  }
}
