package dev.muster.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.Queues;
import dev.muster.core.engine.State;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What the HTTP side is made of.
///
/// @param image the newest published image; asked by many threads
/// @param queues the queues that gangs are accounted to
/// @param scope which pods are ours
/// @param webhook what is added to new pods
/// @param metrics where requests are counted
/// @param informersReady whether the informers see the API server
/// @param ledger the last acts of preemption, oldest first
public record Parts(
    Supplier<State> image,
    Queues queues,
    Scope scope,
    WebhookOptions webhook,
    ServerMetrics metrics,
    BooleanSupplier informersReady,
    Supplier<List<ObjectNode>> ledger) {
  /// A server that stops nobody.
  public Parts(
      Supplier<State> image,
      Queues queues,
      Scope scope,
      WebhookOptions webhook,
      ServerMetrics metrics,
      BooleanSupplier informersReady) {
    this(image, queues, scope, webhook, metrics, informersReady, List::of);
  }
}
