package dev.muster.server.http;

import dev.muster.core.gang.GangId;
import dev.muster.server.http.extender.Casing;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.OfferedNodes;
import dev.muster.server.http.extender.RequestedPod;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Pods as kube-scheduler asks about them.
final class Pods {
  private Pods() {}

  /// A pod of which the caller said nothing that only a preemption policy goes by.
  static RequestedPod pod(
      String namespace,
      String name,
      String uid,
      String schedulerName,
      List<GangId> groups,
      boolean wantsAccelerator) {
    return new RequestedPod(
        namespace,
        name,
        uid,
        schedulerName,
        groups,
        wantsAccelerator,
        new RequestedPod.Standing(0, new TreeMap<>(), ""));
  }

  static RequestedPod ofTrain(String name) {
    return pod("ml", name, "uid-" + name, "default-scheduler", List.of(Images.TRAIN), true);
  }

  static RequestedPod alone(String name) {
    return pod("ml", name, "uid-" + name, "default-scheduler", List.of(), true);
  }

  static RequestedPod stranger() {
    return pod("web", "shop", "uid-shop", "default-scheduler", List.of(), false);
  }

  static ExtenderArgs asks(RequestedPod pod, String... nodes) {
    return asks(pod, List.of(nodes));
  }

  static ExtenderArgs asks(RequestedPod pod, List<String> nodes) {
    return new ExtenderArgs(
        Optional.of(pod), Optional.of(new OfferedNodes.Names(nodes)), Casing.GO);
  }
}
