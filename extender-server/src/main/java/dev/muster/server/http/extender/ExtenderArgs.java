package dev.muster.server.http.extender;

import java.util.Optional;

/// A filter or prioritize call.
///
/// @param pod the pod to place; absent when the caller sent null
/// @param offer the nodes to choose from; absent when the caller sent neither names nor objects
/// @param casing how to write the answer
public record ExtenderArgs(
    Optional<ExtenderPod> pod, Optional<OfferedNodes> offer, KeyCasing casing) {}
