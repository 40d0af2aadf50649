package dev.muster.server.http;

import dev.muster.core.admission.Queues;
import dev.muster.core.engine.State;
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
public record Parts(
    Supplier<State> image,
    Queues queues,
    Scope scope,
    WebhookOptions webhook,
    ServerMetrics metrics,
    BooleanSupplier informersReady) {}
