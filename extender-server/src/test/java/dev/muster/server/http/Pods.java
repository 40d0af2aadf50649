package dev.muster.server.http;

import dev.muster.core.gang.GangId;
import java.util.List;
import java.util.Optional;

/// Pods as kube-scheduler asks about them.
final class Pods {
  private Pods() {}

  static RequestedPod ofTrain(String name) {
    return new RequestedPod(
        "ml", name, "uid-" + name, "default-scheduler", List.of(Images.TRAIN), true);
  }

  static RequestedPod alone(String name) {
    return new RequestedPod("ml", name, "uid-" + name, "default-scheduler", List.of(), true);
  }

  static RequestedPod stranger() {
    return new RequestedPod("web", "shop", "uid-shop", "default-scheduler", List.of(), false);
  }

  static GangId lone(String name) {
    return new GangId("ml", GangId.Origin.POD, name);
  }

  static ExtenderArgs asks(RequestedPod pod, String... nodes) {
    return asks(pod, List.of(nodes));
  }

  static ExtenderArgs asks(RequestedPod pod, List<String> nodes) {
    return new ExtenderArgs(
        Optional.of(pod), Optional.of(new OfferedNodes.Names(nodes)), Casing.GO);
  }
}
