package dev.muster.server.kube.owner.kind;

import java.util.Map;

/// The pods that ended for good, as one object between an owner and its pods states them.
///
/// @param owner name of the owner
/// @param uid uid of the owner; empty if the object does not state it
/// @param byRole number of such pods in each role
public record PodsOver(String owner, String uid, Map<String, Integer> byRole) {
  public PodsOver {
    byRole = Map.copyOf(byRole);
  }
}
