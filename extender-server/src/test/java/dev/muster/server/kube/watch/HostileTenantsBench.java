package dev.muster.server.kube.watch;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
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
  /// Kinds of members that a gang may have.
  static final int KINDS = 32;

  private static final Map<String, String> RACK = Map.of("muster.dev/topology-required", "rack");

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
      measure("gang of 1,000 pods, all different", w -> kinds(w, 1_000));
      measure("gang of 2,000 pods of 2 kinds", w -> kinds(w, 2_000, 2));
      measure("gang of 2,000 pods of 8 kinds", w -> kinds(w, 2_000, 8));
      measure("gang of 124 CPU pods of 17 kinds", w -> halves(w, 24, 16, 100));
      measureInRacks("elastic gang of 22 pods of 3 kinds", HostileTenantsBench::elastic);
      measure("gang of 26 pods, 13 for a full node", HostileTenantsBench::pinned);
      measureInRacks("balanced gang of 2,000 tiny pods", HostileTenantsBench::tiny);
      measureInRacks("gang of 100 slices that differ", HostileTenantsBench::slices);
      measureCrowded("40 gangs of 32 kinds, a node freed", w -> w.gone("system/agent-77"));
      measureCrowded("40 gangs of 32 kinds, a node changed", w -> w.node("node-0001", "7"));
      measure("gang of 62 pods, all different", w -> kinds(w, 62));
      measure("gang of 32 pods, all different", w -> kinds(w, 32));
      measure("gang of 16 pods, all different", w -> kinds(w, 16));
      measure("gang of 8 pods, all different", w -> kinds(w, 8));
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
      measure(what, crowded(NODES), happens);
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
        world.pod(member("g" + i, "g" + i + "-" + pod).build());
      }
    }
  }

  private static PodBuilder member(String group, String name) {
    return member(group, name, 8);
  }

  private static PodBuilder member(String group, String name, int gpus) {
    return TenantWorld.pod("hostile", name, gpus)
        .editMetadata()
        .withLabels(Map.of("scheduling.x-k8s.io/pod-group", group))
        .endMetadata();
  }

  static void kinds(TenantWorld world, int pods) {
    kinds(world, pods, pods);
  }

  /// A gang of pods of 8 GPUs, of so many kinds.
  static void kinds(TenantWorld world, int pods, int kinds) {
    world.group(TenantWorld.group("hostile", "kinds", pods, Map.of()));
    for (int i = 0; i < pods; i++) {
      world.pod(asking(member("kinds", "k" + i), (1000 + i % kinds) + "m"));
    }
  }

  /// A large gang of two kinds of pods, in a namespace of its own, gets these of its pods.
  static void pods(TenantWorld world, int first, int end) {
    for (int i = first; i < end; i++) {
      PodBuilder pod = member("grows", "w" + i);
      pod.editMetadata().withNamespace("growing").endMetadata();
      world.pod(asking(pod, (1000 + i % 2) + "m"));
    }
    world.step();
  }

  /// A gang of pods without GPUs. Many need almost nothing; the others, of so many kinds, need half
  /// a node and more.
  static void halves(TenantWorld world, int halves, int kinds, int tiny) {
    world.group(TenantWorld.group("hostile", "halves", halves + tiny, Map.of()));
    for (int i = 0; i < halves + tiny; i++) {
      PodBuilder pod = TenantWorld.pod("hostile", "h" + i, 0);
      pod.editMetadata().addToLabels("scheduling.x-k8s.io/pod-group", "halves").endMetadata();
      world.pod(asking(pod, i < halves ? (50_000 + i % kinds) + "m" : "1m"));
    }
  }

  /// An elastic gang of few kinds of pods. No rack has places for all of them.
  static void elastic(TenantWorld world) {
    for (int i = 0; i < 22; i++) {
      String cpu = i < 8 ? "60" : i < 14 ? "36" : "1m";
      world.pod(asking(member("elastic", "e" + i, i < 8 ? 1 : 0), cpu));
    }
    world.group(TenantWorld.group("hostile", "elastic", 20, RACK));
  }

  /// A gang of which half of the pods fit everywhere, and the others only on one node, together.
  static void pinned(TenantWorld world) {
    for (int i = 0; i < 26; i++) {
      PodBuilder pod = member("pinned", "p" + i, 0);
      Map<String, String> node = Map.of("kubernetes.io/hostname", "node-0000");
      pod.editSpec().withNodeSelector(i < 13 ? Map.of() : node).endSpec();
      world.pod(asking(pod, i < 13 ? "1m" : "20"));
    }
    world.group(TenantWorld.group("hostile", "pinned", 26, Map.of()));
  }

  /// A gang of equal pods, of which each node holds a hundred.
  static void tiny(TenantWorld world) {
    for (int i = 0; i < 2_000; i++) {
      world.pod(asking(member("tiny", "t" + i, 0), "1m"));
    }
    Map<String, String> balanced = Map.of("muster.dev/layout", "balanced");
    world.group(TenantWorld.group("hostile", "tiny", 2_000, balanced));
  }

  /// A gang of slices of two pods, each with other requests.
  static void slices(TenantWorld world) {
    for (int slice = 0; slice < 100; slice++) {
      for (int i = 0; i < 2; i++) {
        String cpu = (60_000 + (i == 0 ? slice / 25 : 4 + slice % 25)) + "m";
        world.pod(asking(member("slices", "s%d-%d".formatted(slice, i), 0), cpu));
      }
    }
    Map<String, String> pairs =
        Map.of("muster.dev/slice-size", "2", "muster.dev/slice-topology", "rack");
    world.group(TenantWorld.group("hostile", "slices", 200, pairs));
  }

  /// Returns a world where 40 gangs wait, each of 32 pods that all differ. The free resources of
  /// each rack suffice for a gang, but its nodes hold too few of the pods.
  static TenantWorld crowded(int nodes) {
    TenantWorld world = TenantWorld.ofRacks(nodes);
    for (int gang = 0; gang < 40; gang++) {
      String name = "crowd-" + gang;
      world.group(TenantWorld.group("hostile", name, KINDS, RACK));
      for (int i = 0; i < KINDS; i++) {
        boolean half = i < KINDS / 2;
        String cpu = ((half ? 50_000 : 1) + 40 * gang + i) + "m";
        world.pod(asking(member(name, name + "-" + i, half ? 1 : 0), cpu));
      }
      world.step();
    }
    for (int i = 0; i < 40; i++) {
      world.tick(); // until each has its answer
    }
    return world;
  }

  private static Pod asking(PodBuilder pod, String cpu) {
    return pod.editSpec()
        .editContainer(0)
        .editResources()
        .addToRequests("cpu", new Quantity(cpu))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
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
          member("runs", "r" + i)
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
      world.pod(member("nowhere", "n" + i).build());
    }
  }
}
