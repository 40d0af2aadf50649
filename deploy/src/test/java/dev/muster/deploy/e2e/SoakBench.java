package dev.muster.deploy.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Measures live memory, threads and connections of Muster after each round of thousands of pods
/// and gangs. None of them may grow.
///
/// ```
/// deploy/e2e.sh -De2e=SoakBench                     # 20 rounds of 2,600 pods, some 20 minutes
/// deploy/e2e.sh -De2e=SoakBench -Dbench.rounds=200
/// ```
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 1, unit = TimeUnit.DAYS)
class SoakBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 20);
  private static final int NODES = 200;
  private static final int LONE = 1_000;
  private static final int GANGS = 200;
  private static final int MEMBERS = 8;
  private static final int SHOWN = 20;

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @Test
  void memory_after_many_pods() throws IOException {
    var text = new StringBuilder();
    say("| pods so far | live, MiB | threads | descriptors |\n|---|---|---|---|\n", text);
    Footprint early = footprint();
    Footprint now = early;
    try (var flood = new PodFlood(STAGE.admin())) {
      new BulkObjects(STAGE.admin()).nodes(NODES);
      for (int round = 1; round <= ROUNDS; round++) {
        flood.lone(LONE);
        flood.gangs(GANGS, MEMBERS);
        now = footprint();
        early = round <= (ROUNDS + 3) / 4 ? now : early;
        say(row(round * (LONE + GANGS * MEMBERS), now), text);
      }
    }
    say("\nMore of them than after a quarter of the rounds:\n" + grown(early, now), text);
    Files.writeString(STAGE.plane().logs().resolve("soak.md"), text);
  }

  private static void say(String news, StringBuilder all) {
    System.out.print(news);
    all.append(news);
  }

  private static Footprint footprint() {
    return Footprint.of(STAGE.process().pid());
  }

  private static String row(int pods, Footprint it) {
    return "| %d | %.1f | %d | %d |%n"
        .formatted(pods, it.bytes() / (double) (1 << 20), it.threads(), it.descriptors());
  }

  private static String grown(Footprint before, Footprint now) {
    return now.instances().entrySet().stream()
        .map(e ->
            Map.entry(e.getKey(), e.getValue() - before.instances().getOrDefault(e.getKey(), 0L)))
        .filter(e -> e.getValue() > 0)
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(SHOWN)
        .map(e -> "%8d %s%n".formatted(e.getValue(), e.getKey()))
        .collect(Collectors.joining());
  }
}
