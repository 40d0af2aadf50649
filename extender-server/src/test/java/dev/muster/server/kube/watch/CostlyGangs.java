package dev.muster.server.kube.watch;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/// Gangs of one tenant for which places are costly to search.
final class CostlyGangs {
  /// Kinds of members that a gang may have.
  static final int KINDS = 32;

  private static final Map<String, String> RACK = Map.of("muster.dev/topology-required", "rack");

  private CostlyGangs() {}

  static PodBuilder member(String group, String name) {
    return member(group, name, 8);
  }

  static PodBuilder member(String group, String name, int gpus) {
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
    for (int slice = 0; slice < 250; slice++) {
      for (int i = 0; i < 2; i++) {
        String cpu = (60_000 + (i == 0 ? slice / 25 : 4 + slice % 25)) + "m";
        world.pod(asking(member("slices", "s%d-%d".formatted(slice, i), 0), cpu));
      }
    }
    Map<String, String> pairs =
        Map.of("muster.dev/slice-size", "2", "muster.dev/slice-topology", "rack");
    world.group(TenantWorld.group("hostile", "slices", 500, pairs));
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

  /// Returns a small world where 2,000 gangs have a promise for a pod without GPUs. A hundred of
  /// these are on the first node.
  static TenantWorld promised() {
    TenantWorld world = new TenantWorld(100);
    for (int i = 0; i < 2_000; i++) {
      world.group(TenantWorld.group("hostile", "kept-" + i, 1, Map.of()));
      world.pod(asking(member("kept-" + i, "kept-" + i, 0), "1m"));
      world.step();
    }
    return world;
  }

  /// A pod of the first node changes so many times.
  static void podChanges(TenantWorld world, int times) {
    for (int i = 0; i < times; i++) {
      PodBuilder pod = TenantWorld.pod("hostile", "restless", 0);
      pod.editSpec().withNodeName("node-0000").withSchedulerName("other").endSpec();
      world.pod(asking(pod.withNewStatus().withPhase("Running").endStatus(), 1 + i % 2 + "m"));
      world.step();
    }
  }

  /// Eight gangs of 32 kinds of pods. Only the first pod of each suits any node, and it waits for
  /// GPUs.
  static void impossible(TenantWorld world) {
    for (int gang = 0; gang < 8; gang++) {
      String name = "never-" + gang;
      world.group(TenantWorld.group("hostile", name, 1, Map.of()));
      for (int i = 0; i < KINDS; i++) {
        PodBuilder pod = member(name, name + "-" + i, i == 0 ? 5 : i < KINDS / 2 ? 3 : 8);
        Map<String, String> nowhere = Map.of("nowhere", "" + i);
        pod.editSpec().withNodeSelector(i == 0 ? Map.of() : nowhere).endSpec();
        world.pod(asking(pod, (1000 + KINDS * gang + i) + "m"));
      }
      world.step();
    }
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
}
