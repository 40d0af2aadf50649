package dev.muster.core.victims;

import dev.muster.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The facts about one gang that a preemption policy reads. The gang is a preemptor or a possible
/// victim.
///
/// @param gang the gang
/// @param queue queue to which it is accounted; empty for an unmanaged pod, which counts for none
/// @param priority its effective priority, which its queue may cap; greater is more important
/// @param labels labels of its object
/// @param members its running members; for a preemptor, the members it must start
/// @param minCount members that it needs to run
/// @param gpus GPUs of these members together, with shares of GPUs rounded up
/// @param nodes nodes on which it runs; 0 for a preemptor
/// @param models GPU models that it runs on; for a preemptor, the models it names
/// @param waited time that it has waited without running; zero if it runs
/// @param ran time that it has run; zero if it does not run
/// @param remaining expected remaining runtime; absent if unknown
/// @param sinceCheckpoint time since its last checkpoint, or else since its start; zero if it does
///   not run
/// @param lostWork GPU-seconds of work lost if it is stopped now: since its last checkpoint, or
///   else since its start, plus the cost of its restart
/// @param preempted times of its earlier preemptions, oldest first, as far as they are remembered
/// @param borrows true if its queue uses more than its guarantee
/// @param preemptible false if its owner protects it; the policy decides how far this is respected
public record GangProfile(
    GangId gang,
    String queue,
    int priority,
    SortedMap<String, String> labels,
    int members,
    int minCount,
    int gpus,
    int nodes,
    SortedSet<String> models,
    Duration waited,
    Duration ran,
    Optional<Duration> remaining,
    Duration sinceCheckpoint,
    long lostWork,
    List<Instant> preempted,
    boolean borrows,
    boolean preemptible) {
  public GangProfile {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    models = Collections.unmodifiableSortedSet(new TreeSet<>(models));
    preempted = List.copyOf(preempted);
  }

  /// Returns the profile of an unmanaged pod: a gang of one that counts for no queue.
  ///
  /// Its namespace may have the name of a queue. That gives it no part of the guarantee of this
  /// queue, and no right over its gangs.
  ///
  /// @param pod its namespace and name
  /// @param gpus 1 if it requests GPUs, since their number is not known
  public static GangProfile ofUnmanaged(
      GangId pod, int priority, SortedMap<String, String> labels, int gpus, Duration waited) {
    return new GangProfile(
        pod,
        "",
        priority,
        labels,
        1,
        1,
        gpus,
        0,
        new TreeSet<>(),
        waited,
        Duration.ZERO,
        Optional.empty(),
        Duration.ZERO,
        0,
        List.of(),
        true,
        true);
  }

  /// True if it is accounted to this queue.
  public boolean isIn(String other) {
    return !queue.isEmpty() && queue.equals(other);
  }

  /// Returns this profile without the preemptions at the given time and later.
  public GangProfile stoppedBefore(Instant time) {
    return new GangProfile(
        gang,
        queue,
        priority,
        labels,
        members,
        minCount,
        gpus,
        nodes,
        models,
        waited,
        ran,
        remaining,
        sinceCheckpoint,
        lostWork,
        preempted.stream().filter(at -> at.isBefore(time)).toList(),
        borrows,
        preemptible);
  }

  /// Returns this profile reduced to the members that would leave, with their GPUs and nodes.
  public GangProfile giving(int fewer, int theirGpus, int theirNodes) {
    return new GangProfile(
        gang,
        queue,
        priority,
        labels,
        fewer,
        minCount,
        theirGpus,
        theirNodes,
        models,
        waited,
        ran,
        remaining,
        sinceCheckpoint,
        lostWork,
        preempted,
        borrows,
        preemptible);
  }
}
