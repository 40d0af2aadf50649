package dev.muster.server.http.extender;

import java.util.Optional;

/// A filter or prioritize call.
///
/// @param pod pod to place; absent when the caller sent null
/// @param offer nodes to choose from; absent when the caller sent neither names nor objects
/// @param casing spelling of the answer's keys
public record ExtenderArgs(
    Optional<ExtenderPod> pod, Optional<OfferedNodes> offer, KeyCasing casing) {}
