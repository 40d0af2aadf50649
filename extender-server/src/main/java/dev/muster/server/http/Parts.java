package dev.muster.server.http;

import dev.muster.core.engine.State;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What the HTTP side is made of.
///
/// @param image the newest published image; asked by many threads
/// @param scope which pods are ours
/// @param webhook what is added to new pods
/// @param metrics where requests are counted
/// @param informersReady whether the informers see the API server
public record Parts(
    Supplier<State> image,
    Scope scope,
    WebhookOptions webhook,
    ServerMetrics metrics,
    BooleanSupplier informersReady) {}
