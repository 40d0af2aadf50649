package dev.muster.server.http;

import dev.muster.core.gang.GangId;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderPod;
import dev.muster.server.http.extender.KeyCasing;
import dev.muster.server.http.extender.OfferedNodes;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Pods in the form in which kube-scheduler sends them.
final class PodJson {
  private PodJson() {}

  /// A pod of which the caller said nothing that only a preemption policy goes by.
  static ExtenderPod pod(
      String namespace,
      String name,
      String uid,
      String schedulerName,
      List<GangId> groups,
      boolean wantsAccelerator) {
    return new ExtenderPod(
        namespace,
        name,
        uid,
        schedulerName,
        groups,
        wantsAccelerator,
        new ExtenderPod.Standing(0, new TreeMap<>(), ""));
  }

  static ExtenderPod ofTrain(String name) {
    return pod("ml", name, "uid-" + name, "default-scheduler", List.of(ServerImages.TRAIN), true);
  }

  static ExtenderPod alone(String name) {
    return pod("ml", name, "uid-" + name, "default-scheduler", List.of(), true);
  }

  static ExtenderPod stranger() {
    return pod("web", "shop", "uid-shop", "default-scheduler", List.of(), false);
  }

  static ExtenderArgs asks(ExtenderPod pod, String... nodes) {
    return asks(pod, List.of(nodes));
  }

  static ExtenderArgs asks(ExtenderPod pod, List<String> nodes) {
    return new ExtenderArgs(
        Optional.of(pod), Optional.of(new OfferedNodes.Names(nodes)), KeyCasing.GO);
  }
}
