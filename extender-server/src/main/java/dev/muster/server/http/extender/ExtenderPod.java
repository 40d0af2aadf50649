package dev.muster.server.http.extender;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.victims.GangProfile;
import dev.muster.server.kube.owner.kind.OwnedPod;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The fields of a pod that are read from an extender call.
///
/// @param namespace its namespace, never empty
/// @param name its name; empty when the caller gave none
/// @param uid its uid; empty when the caller gave none
/// @param schedulerName the scheduler that it names, never empty
/// @param groups gangs that it names, the decisive one first, else that of its owner; empty for a
///   pod in no group
/// @param owned what it states about its owner
/// @param wantsAccelerator true if a container requests a GPU
/// @param standing properties that a preemption policy reads
public record ExtenderPod(
    String namespace,
    String name,
    String uid,
    String schedulerName,
    List<GangId> groups,
    OwnedPod owned,
    boolean wantsAccelerator,
    Standing standing) {
  /// The properties that a preemption policy reads.
  ///
  /// @param priority its priority; 0 when the caller gave none
  /// @param labels its labels
  /// @param createdAt its creation time, as written; empty when the caller gave nothing
  public record Standing(int priority, SortedMap<String, String> labels, String createdAt) {
    public Standing {
      labels = Collections.unmodifiableSortedMap(labels);
    }

    private Duration waited(Instant now) {
      try {
        Duration waited = Duration.between(Instant.parse(createdAt), now);
        return waited.isNegative() ? Duration.ZERO : waited;
      } catch (DateTimeException _) {
        return Duration.ZERO;
      }
    }
  }

  public ExtenderPod {
    groups = List.copyOf(groups);
  }

  /// Creates a pod without an owner.
  public ExtenderPod(
      String namespace,
      String name,
      String uid,
      String schedulerName,
      List<GangId> groups,
      boolean wantsAccelerator,
      Standing standing) {
    this(
        namespace,
        name,
        uid,
        schedulerName,
        groups,
        new OwnedPod(namespace, standing.labels(), Map.of(), "", "", ""),
        wantsAccelerator,
        standing);
  }

  /// Returns the pod as a member of this gang, or alone. The image may be older than what is known
  /// of its owner.
  ExtenderPod in(GangId gang) {
    return new ExtenderPod(
        namespace,
        name,
        uid,
        schedulerName,
        List.of(gang, alone()),
        owned,
        wantsAccelerator,
        standing);
  }

  /// Returns the pod without labels, which can be many.
  public ExtenderPod inBrief() {
    Standing brief = new Standing(standing.priority(), new TreeMap<>(), standing.createdAt());
    return new ExtenderPod(namespace, name, uid, schedulerName, groups, wantsAccelerator, brief);
  }

  /// Returns the preemption profile of an unmanaged pod.
  GangProfile profile(Instant now) {
    return GangProfile.ofUnmanaged(
        new GangId(namespace, GangId.Origin.POD, name.isBlank() ? "unnamed" : name),
        standing.priority(),
        standing.labels(),
        wantsAccelerator ? 1 : 0,
        standing.waited(now));
  }

  /// True if the pod has the fields that distinguish it from other pods.
  public boolean isIdentified() {
    return !name.isBlank() && !uid.isBlank();
  }

  /// Returns its identity.
  ///
  /// @throws IllegalArgumentException unless it [#isIdentified]
  public MemberId id() {
    return new MemberId(namespace, name, uid);
  }

  /// Returns the gangs to which it may belong: its groups, else the gang with its own name.
  public List<GangId> gangs() {
    return groups.isEmpty() ? List.of(alone()) : groups;
  }

  private GangId alone() {
    return new GangId(namespace, GangId.Origin.POD, name);
  }
}
