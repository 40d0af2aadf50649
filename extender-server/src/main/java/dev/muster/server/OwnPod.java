package dev.muster.server;

import dev.muster.policy.preemption.PolicyWatch.Status;
import dev.muster.server.kube.Leadership;
import dev.muster.server.kube.ObjectRef;
import dev.muster.server.kube.Problem;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The pod that this server runs in, as `deploy/manifests` tells it; outside a cluster there is
/// none.
///
/// @param namespace where Muster is installed
/// @param name absent outside a cluster
record OwnPod(String namespace, Optional<String> name) {
  /// The reason of Events about a policy that is not valid.
  static final String INVALID_POLICY = "InvalidPolicy";

  private static final String NAMESPACE = "muster-system";

  static OwnPod of(Map<String, String> environment) {
    return new OwnPod(
        environment.getOrDefault("POD_NAMESPACE", NAMESPACE),
        Optional.ofNullable(environment.get("POD_NAME")));
  }

  /// What to tell of a policy; empty if it is valid, or outside a cluster.
  Optional<Problem> policyProblem(Status status) {
    return status.isGood()
        ? Optional.empty()
        : name.map(pod -> new ObjectRef("v1", "Pod", namespace, pod, ""))
            .map(pod -> new Problem(pod, INVALID_POLICY, PolicyFeed.said(status)));
  }

  /// Who wants to lead. A container that is started anew is still the same pod, and goes on at
  /// once.
  Leadership.Holder holder() {
    return new Leadership.Holder(namespace, name.orElseGet(OwnPod::process));
  }

  private static String process() {
    String id = UUID.randomUUID().toString();
    try {
      return InetAddress.getLocalHost().getHostName() + "_" + id;
    } catch (UnknownHostException _) {
      return id;
    }
  }
}
