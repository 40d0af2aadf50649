package dev.muster.server;

import dev.muster.policy.preemption.PolicyWatch.Status;
import dev.muster.server.kube.ObjectRef;
import dev.muster.server.kube.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The pod that this server runs in, for Events about the server itself.
final class OwnPod {
  /// The reason of Events about a policy that is not valid.
  static final String INVALID_POLICY = "InvalidPolicy";

  private static final Path NAMESPACE =
      Path.of("/var/run/secrets/kubernetes.io/serviceaccount/namespace");

  private OwnPod() {}

  /// What to tell of a policy; empty if it is valid, or outside a cluster.
  static Optional<Problem> policyProblem(Status status) {
    return status.isGood()
        ? Optional.empty()
        : reference(NAMESPACE, System.getenv("HOSTNAME"))
            .map(pod -> new Problem(pod, INVALID_POLICY, PolicyFeed.said(status)));
  }

  static Optional<ObjectRef> reference(Path namespaceFile, @Nullable String hostName) {
    if (hostName == null || !Files.isReadable(namespaceFile)) {
      return Optional.empty();
    }
    try {
      String namespace = Files.readString(namespaceFile).strip();
      return Optional.of(new ObjectRef("v1", "Pod", namespace, hostName, ""));
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
