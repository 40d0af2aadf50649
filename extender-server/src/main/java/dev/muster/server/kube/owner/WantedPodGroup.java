package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.ObjectRef;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// The PodGroup that an owner should have. Muster writes it, so that users need none.
///
/// @param gang the gang that it declares
/// @param owner the owner; the PodGroup is deleted with it
/// @param minimum number of members that start together
/// @param labels labels of the owner; no value removes one
/// @param annotations annotations of the owner about the gang; no value removes one
/// @param existing uid of the PodGroup to change; empty to create it
public record WantedPodGroup(
    GangId gang,
    ObjectRef owner,
    int minimum,
    SortedMap<String, @Nullable String> labels,
    SortedMap<String, @Nullable String> annotations,
    Optional<String> existing) {}
