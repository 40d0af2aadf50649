package dev.muster.server.http.extender;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.victims.GangProfile;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;

/// What is read of a pod in an extender call.
///
/// @param namespace its namespace, never empty
/// @param name its name; empty when the caller gave none
/// @param uid its uid; empty when the caller gave none
/// @param schedulerName the scheduler it names, never empty
/// @param groups the gangs it names, first the one that counts; empty for a pod in no group
/// @param wantsAccelerator whether a container requests a GPU
/// @param standing what a preemption policy goes by
public record ExtenderPod(
    String namespace,
    String name,
    String uid,
    String schedulerName,
    List<GangId> groups,
    boolean wantsAccelerator,
    Standing standing) {
  /// What a preemption policy goes by.
  ///
  /// @param priority its priority; 0 when the caller gave none
  /// @param labels its labels
  /// @param createdAt when it was created, as written; empty when the caller gave nothing
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

  /// The pod as a preemption policy sees it, when it is none of ours: a gang of one whose queue is
  /// guaranteed nothing. Of its GPUs it is only told whether it wants any.
  GangProfile profile(Instant now) {
    return new GangProfile(
        new GangId(namespace, GangId.Origin.POD, name.isBlank() ? "unnamed" : name),
        namespace,
        standing.priority(),
        standing.labels(),
        1,
        1,
        wantsAccelerator ? 1 : 0,
        0,
        new TreeSet<>(),
        standing.waited(now),
        Duration.ZERO,
        Optional.empty(),
        0,
        List.of(),
        true,
        true);
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
