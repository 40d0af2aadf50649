package dev.muster.core.gang;

import dev.muster.core.collect.SortedTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// What a PodGroup, or a pod in no group, declares of its gang.
///
/// @param id the gang
/// @param minCount how many members must start together, at least 1
/// @param maxCount how many members may run at once, at least `minCount`; absent: as many as its
///   pods say, else all there are
/// @param queue the queue it is accounted to
/// @param priority the gang's own priority; absent: the lowest of its members'
/// @param wishes how near the members must be, which GPU models will do, how long it runs
/// @param patience how long it may lack members before that is called a failure, more than no time;
///   absent: as long as is configured
/// @param lineage what gangs that are runs of the same work have in common: their run times are
///   expected to be alike; empty when unknown
/// @param createdAt when the object was created: the gang's age counts from here
/// @param recorded the node promised to each member, as last written to the object; what a restart
///   recovers
/// @param labels the labels of the object: preemption policies may go by them
/// @param preemption what of preemptions was last written to the object
public record GangSpec(
    GangId id,
    int minCount,
    Optional<Integer> maxCount,
    String queue,
    Optional<Integer> priority,
    Wishes wishes,
    Optional<Duration> patience,
    String lineage,
    Instant createdAt,
    SortedTable<MemberId, NodeId> recorded,
    SortedMap<String, String> labels,
    PreemptionRecord preemption) {
  public GangSpec {
    labels =
        labels.isEmpty()
            ? Collections.emptySortedMap()
            : Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    if (minCount < 1) {
      throw new IllegalArgumentException(
          "The gang (%s) asks for minCount (%d); it must be 1 or more. Maybe minMember is missing."
              .formatted(id, minCount));
    }
    if (maxCount.isPresent() && maxCount.get() < minCount) {
      throw new IllegalArgumentException(
          "The gang (%s) asks for maxCount (%d); it must be minCount (%d) or more."
              .formatted(id, maxCount.get(), minCount));
    }
  }

  /// A gang that declares only this.
  public static GangSpec of(GangId id, int minCount, String queue, Instant createdAt) {
    return new GangSpec(
        id,
        minCount,
        Optional.empty(),
        queue,
        Optional.empty(),
        Wishes.NONE,
        Optional.empty(),
        "",
        createdAt,
        SortedTable.empty(),
        new TreeMap<>(),
        PreemptionRecord.NONE);
  }

  /// The same gang with another minimum.
  public GangSpec starting(int members) {
    return changed(draft -> draft.minCount = members);
  }

  /// The same gang, running at most so many members.
  public GangSpec upTo(Optional<Integer> members) {
    return changed(draft -> draft.maxCount = members);
  }

  /// The same gang with a priority of its own.
  public GangSpec prior(Optional<Integer> own) {
    return changed(draft -> draft.priority = own);
  }

  /// The same gang with these wishes.
  public GangSpec wishing(Wishes other) {
    return changed(draft -> draft.wishes = other);
  }

  /// The same gang with a time of its own in which its members must have come.
  public GangSpec gatheringWithin(Optional<Duration> time) {
    return changed(draft -> draft.patience = time);
  }

  /// The same gang as one run of this work.
  public GangSpec running(String work) {
    return changed(draft -> draft.lineage = work);
  }

  /// The same gang, created at another time.
  public GangSpec bornAt(Instant at) {
    return changed(draft -> draft.createdAt = at);
  }

  /// The same gang with another record of what was promised.
  public GangSpec recording(SortedTable<MemberId, NodeId> promised) {
    return changed(draft -> draft.recorded = promised);
  }

  /// The same gang, its object with these labels.
  public GangSpec labelled(SortedMap<String, String> other) {
    return changed(draft -> draft.labels = other);
  }

  /// The same gang with another record of preemptions.
  public GangSpec recording(PreemptionRecord other) {
    return changed(draft -> draft.preemption = other);
  }

  private GangSpec changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.spec();
  }

  /// A specification while it is being changed.
  private static final class Draft {
    private final GangSpec from;
    private int minCount;
    private Optional<Integer> maxCount;
    private Optional<Integer> priority;
    private Wishes wishes;
    private Optional<Duration> patience;
    private String lineage;
    private Instant createdAt;
    private SortedTable<MemberId, NodeId> recorded;
    private SortedMap<String, String> labels;
    private PreemptionRecord preemption;

    Draft(GangSpec from) {
      this.from = from;
      minCount = from.minCount;
      maxCount = from.maxCount;
      priority = from.priority;
      wishes = from.wishes;
      patience = from.patience;
      lineage = from.lineage;
      createdAt = from.createdAt;
      recorded = from.recorded;
      labels = from.labels;
      preemption = from.preemption;
    }

    GangSpec spec() {
      return new GangSpec(
          from.id,
          minCount,
          maxCount,
          from.queue,
          priority,
          wishes,
          patience,
          lineage,
          createdAt,
          recorded,
          labels,
          preemption);
    }
  }
}
