package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.state.GangStatus;
import dev.muster.server.kube.client.JsonBodies;

/// Computes the status of a `scheduling.x-k8s.io` PodGroup, in the terms of scheduler-plugins.
final class PodGroupStatusCodec {
  private PodGroupStatusCodec() {}

  static ObjectNode of(GangStatus status) {
    return JsonBodies.object()
        .put("phase", phase(status))
        .put("running", status.bound())
        .put("succeeded", status.succeeded())
        .put("failed", status.failed());
  }

  static String phase(GangStatus status) {
    boolean enoughDone = status.minCount() > 0 && status.succeeded() >= status.minCount();
    boolean runs = status.bound() > 0 && status.bound() + status.succeeded() >= status.minCount();
    return switch (status.phase()) {
      case GATHERING, PENDING, GONE -> "Pending";
      case RESERVED, BOUND -> runs ? "Running" : "Scheduling";
      case LEAVING -> enoughDone ? "Finished" : status.failed() > 0 ? "Failed" : "Pending";
    };
  }
}
