package dev.muster.server.kube.owner.kind;

import java.util.Map;

/// The pods that ended for good, as one object between an owner and its pods states them.
///
/// @param owner name of the owner
/// @param byRole number of such pods in each role
public record PodsOver(String owner, Map<String, Integer> byRole) {
  public PodsOver {
    byRole = Map.copyOf(byRole);
  }
}
