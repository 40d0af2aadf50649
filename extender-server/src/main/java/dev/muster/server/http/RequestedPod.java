package dev.muster.server.http;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import java.util.List;

/// What is read of a pod in an extender call.
///
/// @param namespace its namespace, never empty
/// @param name its name; empty when the caller gave none
/// @param uid its uid; empty when the caller gave none
/// @param schedulerName the scheduler it names, never empty
/// @param groups the gangs it names, most authoritative first; empty for a pod in no group
/// @param wantsAccelerator whether a container requests a GPU
public record RequestedPod(
    String namespace,
    String name,
    String uid,
    String schedulerName,
    List<GangId> groups,
    boolean wantsAccelerator) {
  public RequestedPod {
    groups = List.copyOf(groups);
  }

  /// Whether it can be told from other pods.
  public boolean isIdentified() {
    return !name.isBlank() && !uid.isBlank();
  }

  /// Its identity.
  ///
  /// @throws IllegalArgumentException unless it [#isIdentified]
  public MemberId id() {
    return new MemberId(namespace, name, uid);
  }

  /// The gangs it may belong to: those it names, else the gang of one named like itself.
  public List<GangId> gangs() {
    return groups.isEmpty() ? List.of(new GangId(namespace, GangId.Origin.POD, name)) : groups;
  }
}
