package dev.muster.server;

import dev.muster.policy.preemption.load.PolicyWatch.Status;
import dev.muster.server.kube.client.Leadership;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The pod that runs this server, as set by `deploy/manifests` in the environment.
///
/// @param namespace namespace in which Muster is installed
/// @param name name of the pod; absent outside a cluster
record OwnPod(String namespace, Optional<String> name) {
  /// Reason of Events about an invalid policy.
  static final String INVALID_POLICY = "InvalidPolicy";

  private static final String NAMESPACE = "muster-system";

  static OwnPod of(Map<String, String> environment) {
    return new OwnPod(
        environment.getOrDefault("POD_NAMESPACE", NAMESPACE),
        Optional.ofNullable(environment.get("POD_NAME")));
  }

  /// Returns the problem of an invalid policy; empty if it is valid, or outside a cluster.
  Optional<ObjectProblem> policyProblem(Status status) {
    return status.isGood()
        ? Optional.empty()
        : name.map(pod -> new ObjectRef("v1", "Pod", namespace, pod, ""))
            .map(pod -> new ObjectProblem(pod, INVALID_POLICY, PolicyFeed.said(status)));
  }

  /// Returns the candidate for the leadership. A restarted container is still in its pod, so it
  /// continues as the leader at once.
  Leadership.Holder holder() {
    return new Leadership.Holder(namespace, name.orElseGet(OwnPod::process), name.isPresent());
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
