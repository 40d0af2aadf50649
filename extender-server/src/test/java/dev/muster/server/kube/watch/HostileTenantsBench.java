package dev.muster.server.kube.watch;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Measures how long the worst objects of one tenant delay the gang of another one.
///
/// ```
/// ./mvnw -pl extender-server -am test -Dtest=HostileTenantsBench -Dsurefire.failIfNoSpecifiedTests=false
/// ```
///
/// Not part of the build: its name is no test's name.
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class HostileTenantsBench {
  /// Rows to measure: those that contain this text.
  private static final String ONLY = System.getProperty("bench.only", "");

  private static final int NODES = Integer.getInteger("bench.nodes", 5_000);

  @Test
  void run() {
    System.out.printf(
        "%n%-44s %9s %9s %9s %9s %8s %9s%n",
        "objects of the other tenant",
        "read ms",
        "gang ms",
        "step ms",
        "MB",
        "longest",
        "published");
    for (int warm = 0; warm < 2; warm++) {
      measure("none", _ -> {});
      measure("10 pods, 850 kB of node affinity", w -> affinity(w, 10, 1, 20_000, 42));
      measure("10 pods, 2,000 names of 30", w -> affinity(w, 10, 1, 2_000, 30));
      measure("10 pods, 50 terms", w -> affinity(w, 10, 50, 30, 30));
      measure("10 PodGroups, 250 kB of models", w -> models(w, 10, 25_000));
      measure("10 PodGroups, 50 models", w -> models(w, 10, 50));
      measure("gang of 1,000 pods, all different", w -> CostlyGangs.kinds(w, 1_000));
      measure("gang of 2,000 pods of 2 kinds", w -> CostlyGangs.kinds(w, 2_000, 2));
      measure("gang of 2,000 pods of 8 kinds", w -> CostlyGangs.kinds(w, 2_000, 8));
      measure("gang of 124 CPU pods of 17 kinds", w -> CostlyGangs.halves(w, 24, 16, 100));
      measureInRacks("elastic gang of 22 pods of 3 kinds", CostlyGangs::elastic);
      measure("gang of 26 pods, 13 for a full node", CostlyGangs::pinned);
      measureInRacks("balanced gang of 2,000 tiny pods", CostlyGangs::tiny);
      measureInRacks("gang of 250 slices that differ", CostlyGangs::slices);
      measureCrowded("40 gangs of 32 kinds, a node freed", w -> w.gone("system/agent-77"));
      measureCrowded("40 gangs of 32 kinds, a node changed", w -> w.node("node-0001", "7"));
      measure("gang of 62 pods, all different", w -> CostlyGangs.kinds(w, 62));
      measure("gang of 32 pods, all different", w -> CostlyGangs.kinds(w, 32));
      measure("gang of 16 pods, all different", w -> CostlyGangs.kinds(w, 16));
      measure("gang of 8 pods, all different", w -> CostlyGangs.kinds(w, 8));
      measure("pod of 20,000 resources", w -> resources(w, 20_000));
      measure("pod of 60 resources", w -> resources(w, 60));
      measure("800 finished runs in one PodGroup", w -> runs(w, 800));
      measure("3,200 finished runs in one PodGroup", w -> runs(w, 3_200));
      measure("2,500 pods without a PodGroup", w -> lost(w, 2_500));
      measure("5,000 pods without a PodGroup", w -> lost(w, 5_000));
      measure("gangs in 2,000 namespaces, a queue each", w -> namespaces(w, 2_000));
      measureSliced("none, with ResourceSlices", _ -> {});
      measureSliced("ResourceClaim of costly selectors", w -> claims(w, 1));
      measureSliced("10 ResourceClaims of costly selectors", w -> claims(w, 10));
      measureSliced("100 ResourceClaims of costly selectors", w -> claims(w, 100));
      measureSliced("1,000 ResourceClaims of cheap selectors", w -> cheapClaims(w, 1_000));
    }
  }

  private static void measure(String what, Consumer<TenantWorld> objects) {
    if (what.contains(ONLY)) {
      measure(what, new TenantWorld(NODES), objects);
    }
  }

  private static void measureInRacks(String what, Consumer<TenantWorld> objects) {
    if (what.contains(ONLY)) {
      measure(what, TenantWorld.ofRacks(NODES), objects);
    }
  }

  private static void measureCrowded(String what, Consumer<TenantWorld> happens) {
    if (what.contains(ONLY)) {
      measure(what, CostlyGangs.crowded(NODES), happens);
    }
  }

  private static void measureSliced(String what, Consumer<TenantWorld> objects) {
    if (what.contains(ONLY)) {
      measure(what, new TenantWorld(NODES, true), objects);
    }
  }

  private static void measure(String what, TenantWorld world, Consumer<TenantWorld> objects) {
    world.longestStepNanos = 0;
    world.messages.clear();
    long bytes = TenantWorld.allocated();
    long from = System.nanoTime();
    objects.accept(world);
    world.step();
    world.tick();
    long read = System.nanoTime();
    boolean admitted = world.admitsGangOf("other");
    world.tick();
    long end = System.nanoTime();
    if (!admitted) {
      throw new AssertionError("not admitted beside " + what);
    }
    System.out.printf(
        "%-44s %9d %9d %9d %9d %8d %9d%n",
        what,
        (read - from) / 1_000_000,
        (end - read) / 1_000_000,
        world.longestStepNanos / 1_000_000,
        (TenantWorld.allocated() - bytes) >> 20,
        world.messages.values().stream().mapToInt(String::length).max().orElse(0),
        world.publishedCharacters);
  }

  static void affinity(TenantWorld world, int pods, int terms, int values, int length) {
    for (int i = 0; i < pods; i++) {
      world.pod(selecting("p" + i, i, terms, values, length));
    }
  }

  static Pod selecting(String name, int salt, int terms, int values, int length) {
    var spec =
        TenantWorld.pod("hostile", name, 8).editSpec().withNewAffinity().withNewNodeAffinity();
    var required = spec.withNewRequiredDuringSchedulingIgnoredDuringExecution();
    for (int term = 0; term < terms; term++) {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < values; i++) {
        names.add(("%0" + length + "d").formatted(term * 100_000L + i));
      }
      required =
          required
              .addNewNodeSelectorTerm()
              .withMatchExpressions(
                  new NodeSelectorRequirementBuilder()
                      .withKey("kubernetes.io/hostname")
                      .withOperator("In")
                      .withValues(names)
                      .build(),
                  new NodeSelectorRequirementBuilder()
                      .withKey("salt-" + salt)
                      .withOperator("DoesNotExist")
                      .build())
              .endNodeSelectorTerm();
    }
    return required
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .endAffinity()
        .endSpec()
        .build();
  }

  static void models(TenantWorld world, int groups, int models) {
    String text = String.join(",", IntStream.range(0, models).mapToObj(i -> "model-" + i).toList());
    for (int i = 0; i < groups; i++) {
      world.group(
          TenantWorld.group("hostile", "g" + i, 4, Map.of("muster.dev/gpu-models", text + i)));
      for (int pod = 0; pod < 4; pod++) {
        world.pod(CostlyGangs.member("g" + i, "g" + i + "-" + pod).build());
      }
    }
  }

  static void resources(TenantWorld world, int names) {
    var resources =
        TenantWorld.pod("hostile", "resources", 8).editSpec().editContainer(0).editResources();
    for (int i = 0; i < names; i++) {
      resources = resources.addToRequests("example.com/device-" + i, new Quantity("1"));
    }
    world.pod(resources.endResources().endContainer().endSpec().build());
  }

  static void runs(TenantWorld world, int runs) {
    world.group(TenantWorld.group("hostile", "runs", 2, Map.of()));
    for (int i = 0; i < runs; i++) {
      Instant made = Instant.parse("2026-10-01T00:00:00Z").plus(Duration.ofMinutes(i));
      world.pod(
          CostlyGangs.member("runs", "r" + i)
              .editMetadata()
              .withCreationTimestamp(made.toString())
              .addNewOwnerReference()
              .withApiVersion("batch/v1")
              .withKind("Job")
              .withName("job-" + i)
              .withUid("job-" + i)
              .withController(true)
              .endOwnerReference()
              .endMetadata()
              .editStatus()
              .withPhase("Succeeded")
              .addNewCondition()
              .withType("Ready")
              .withStatus("False")
              .withLastTransitionTime(made.plusSeconds(30).toString())
              .endCondition()
              .endStatus()
              .build());
    }
  }

  /// Claims that differ, each with 32 selectors whose loops are as long as Muster evaluates.
  static void claims(TenantWorld world, int claims) {
    String numbers =
        IntStream.range(0, 30).mapToObj(String::valueOf).collect(Collectors.joining(","));
    for (int i = 0; i < claims; i++) {
      String salt = "%03d".formatted(i);
      List<String> selectors =
          IntStream.range(0, 32)
              .mapToObj(n ->
                  "[%s].all(x, [%s].all(y, x * y >= 0 && '%s%02d' != 'x'))"
                      .formatted(numbers, numbers, salt, n))
              .toList();
      world.claim("hostile", "claim-" + i, selectors);
    }
  }

  /// Claims that come and go, each with a selector of its own for all GPUs. Hundred are left.
  static void cheapClaims(TenantWorld world, int claims) {
    for (int i = 0; i < claims; i++) {
      world.claim(
          "hostile",
          "cheap-" + i,
          List.of("device.driver == 'gpu.nvidia.com' && 'a%d' != ''".formatted(i)));
      world.noClaim("hostile", "cheap-" + (i - 100));
    }
  }

  /// Gangs of one pod that wait, each in a namespace and a queue of its own.
  static void namespaces(TenantWorld world, int namespaces) {
    for (int i = 0; i < namespaces; i++) {
      var group = TenantWorld.group("hostile-" + i, "g", 1, Map.of());
      group.getMetadata().setLabels(Map.of("muster.dev/queue", "own-" + i));
      world.group(group);
      world.pod(
          TenantWorld.pod("hostile-" + i, "p", 8)
              .editMetadata()
              .withLabels(Map.of("scheduling.x-k8s.io/pod-group", "g"))
              .endMetadata()
              .build());
    }
  }

  static void lost(TenantWorld world, int pods) {
    for (int i = 0; i < pods; i++) {
      world.pod(CostlyGangs.member("nowhere", "n" + i).build());
    }
  }
}
