package dev.muster.core.gang;

import dev.muster.core.collect.SortedTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The declaration of a gang by its PodGroup, or by a pod without a group.
///
/// @param id the gang
/// @param minCount number of members that must start together, at least 1
/// @param maxCount number of members that may run at once, at least `minCount`; absent: the number
///   that the pods declare, else no limit
/// @param queue the queue to which the gang is accounted
/// @param priority the gang's own priority, which may lower the lowest of its members, but not
///   raise it; absent: that of its members
/// @param wishes constraints of the gang: topology, GPU models, run time, preemption
/// @param patience time that the gang may lack members before this counts as a failure, longer than
///   zero; absent: the configured time
/// @param lineage key shared by gangs that are runs of one piece of work, so similar run times are
///   expected; empty when unknown
/// @param createdAt creation time of the object, from which the gang's age counts
/// @param recorded the node promised to each member, as last written to the object; recovered by a
///   restart
/// @param labels labels of the object, which preemption policies may match
/// @param preemption record of preemptions, as last written to the object
/// @param past past of the gang, as its object recorded it when it was first seen
public record GangSpec(
    GangId id,
    int minCount,
    Optional<Integer> maxCount,
    String queue,
    Optional<Integer> priority,
    GangConstraints wishes,
    Optional<Duration> patience,
    String lineage,
    Instant createdAt,
    SortedTable<MemberId, NodeId> recorded,
    SortedMap<String, String> labels,
    PreemptionRecord preemption,
    Optional<GangPast> past) {
  public GangSpec {
    labels =
        labels.isEmpty()
            ? Collections.emptySortedMap()
            : Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    if (minCount < 1) {
      throw new IllegalArgumentException(
          "The gang (%s) has minCount (%d); it must be 1 or more.".formatted(id, minCount));
    }
    if (maxCount.isPresent() && maxCount.get() < minCount) {
      throw new IllegalArgumentException(
          "The gang (%s) has maxCount (%d); it must be minCount (%d) or more."
              .formatted(id, maxCount.get(), minCount));
    }
  }

  /// Returns a specification with these values only; all else is absent or empty.
  public static GangSpec of(GangId id, int minCount, String queue, Instant createdAt) {
    return new GangSpec(
        id,
        minCount,
        Optional.empty(),
        queue,
        Optional.empty(),
        GangConstraints.NONE,
        Optional.empty(),
        "",
        createdAt,
        SortedTable.empty(),
        new TreeMap<>(),
        PreemptionRecord.NONE,
        Optional.empty());
  }

  /// Returns a copy with another minimum number of members.
  public GangSpec starting(int members) {
    return changed(draft -> draft.minCount = members);
  }

  /// Returns a copy with another maximum number of running members.
  public GangSpec upTo(Optional<Integer> members) {
    return changed(draft -> draft.maxCount = members);
  }

  /// Returns a copy with this priority of the gang's own.
  public GangSpec prior(Optional<Integer> own) {
    return changed(draft -> draft.priority = own);
  }

  /// Returns a copy with these constraints.
  public GangSpec wishing(GangConstraints other) {
    return changed(draft -> draft.constraints = other);
  }

  /// Returns a copy with its own limit for the time in which the members must exist.
  public GangSpec gatheringWithin(Optional<Duration> time) {
    return changed(draft -> draft.patience = time);
  }

  /// Returns a copy that is one run of this work (its lineage).
  public GangSpec running(String work) {
    return changed(draft -> draft.lineage = work);
  }

  /// Returns a copy with another creation time.
  public GangSpec bornAt(Instant at) {
    return changed(draft -> draft.createdAt = at);
  }

  /// Returns a copy with another record of promised nodes.
  public GangSpec recording(SortedTable<MemberId, NodeId> promised) {
    return changed(draft -> draft.recorded = promised);
  }

  /// Returns a copy whose object has these labels.
  public GangSpec labelled(SortedMap<String, String> other) {
    return changed(draft -> draft.labels = other);
  }

  /// Returns a copy with another record of preemptions.
  public GangSpec recording(PreemptionRecord other) {
    return changed(draft -> draft.preemption = other);
  }

  /// Returns a copy whose object recorded this past.
  public GangSpec recalling(Optional<GangPast> other) {
    return changed(draft -> draft.past = other);
  }

  private GangSpec changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.spec();
  }

  /// A mutable copy of a specification while fields are changed.
  private static final class Draft {
    private final GangSpec from;
    private int minCount;
    private Optional<Integer> maxCount;
    private Optional<Integer> priority;
    private GangConstraints constraints;
    private Optional<Duration> patience;
    private String lineage;
    private Instant createdAt;
    private SortedTable<MemberId, NodeId> recorded;
    private SortedMap<String, String> labels;
    private PreemptionRecord preemption;
    private Optional<GangPast> past;

    Draft(GangSpec from) {
      this.from = from;
      minCount = from.minCount;
      maxCount = from.maxCount;
      priority = from.priority;
      constraints = from.wishes;
      patience = from.patience;
      lineage = from.lineage;
      createdAt = from.createdAt;
      recorded = from.recorded;
      labels = from.labels;
      preemption = from.preemption;
      past = from.past;
    }

    GangSpec spec() {
      return new GangSpec(
          from.id,
          minCount,
          maxCount,
          from.queue,
          priority,
          constraints,
          patience,
          lineage,
          createdAt,
          recorded,
          labels,
          preemption,
          past);
    }
  }
}
