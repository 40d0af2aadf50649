package dev.muster.policy.config;

import java.util.Optional;

/// A kind of owner as written in the file. Exactly one of the sizes is given.
///
/// @param apiVersion group and version of its API
/// @param kind its kind
/// @param plural its name in paths
/// @param groupLabel label or annotation by which a pod states the name of its owner
/// @param sizeField field of the owner with the number of its pods, such as `spec.replicas`
/// @param sizeLabel label or annotation of a pod with the number of pods
public record OwnerEntry(
    String apiVersion,
    String kind,
    String plural,
    String groupLabel,
    Optional<String> sizeField,
    Optional<String> sizeLabel) {}
