package dev.muster.server.kube.owner;

import java.util.OptionalInt;

/// The owner of a pod and its role there, as the pod states them.
///
/// @param owner name of the owner, in the namespace of the pod
/// @param replica number of the gang, if each replica of the owner is a gang
/// @param role name of its role
/// @param certain true if the owner has a gang for certain, so that the pod waits while the owner
///   is unknown
public record PodRole(String owner, OptionalInt replica, String role, boolean certain) {
  /// Creates the role of a pod whose owner has one gang for certain.
  PodRole(String owner, String role) {
    this(owner, OptionalInt.empty(), role, true);
  }
}
