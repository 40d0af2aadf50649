package dev.muster.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.policy.preemption.load.PolicyWatch;
import dev.muster.server.http.extender.PodScope;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What the HTTP side is made of.
///
/// @param image the newest published image; asked by many threads
/// @param policies the configuration in force
/// @param scope which pods are ours
/// @param webhook what is added to new pods
/// @param metrics where requests are counted
/// @param isReady whether decisions can be taken: everything was seen, and this process leads
/// @param policy what came of the files of the preemption policy, if there is one
/// @param ledger the last acts of preemption, oldest first
public record HttpDependencies(
    Supplier<State> image,
    Supplier<Policies> policies,
    PodScope scope,
    WebhookOptions webhook,
    ServerMetrics metrics,
    BooleanSupplier isReady,
    Optional<Supplier<PolicyWatch.Status>> policy,
    Supplier<List<ObjectNode>> ledger) {
  /// Without a preemption policy.
  public HttpDependencies(
      Supplier<State> image,
      Supplier<Policies> policies,
      PodScope scope,
      WebhookOptions webhook,
      ServerMetrics metrics,
      BooleanSupplier isReady) {
    this(image, policies, scope, webhook, metrics, isReady, Optional.empty(), List::of);
  }

  /// The same with a preemption policy.
  public HttpDependencies with(Supplier<PolicyWatch.Status> status) {
    return new HttpDependencies(
        image, policies, scope, webhook, metrics, isReady, Optional.of(status), ledger);
  }

  /// The same with a ledger of preemptions.
  public HttpDependencies noting(Supplier<List<ObjectNode>> acts) {
    return new HttpDependencies(image, policies, scope, webhook, metrics, isReady, policy, acts);
  }
}
