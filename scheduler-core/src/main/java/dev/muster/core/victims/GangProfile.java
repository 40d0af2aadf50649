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

/// A gang as a preemption policy sees it: one that asks for room, or one that may be stopped.
///
/// @param gang the gang
/// @param queue the queue it is accounted to
/// @param priority its priority as far as it counts: its queue may cap it; greater is more
///   important
/// @param labels the labels of its object
/// @param members members that run; of a gang that asks for room, members that it is to start
/// @param minCount with how many it can run
/// @param gpus GPUs of these members together, parts of GPUs rounded up
/// @param nodes on how many nodes it runs; 0 for a gang that asks for room
/// @param models GPU models that it runs on; of a gang that asks for room, those that it names
/// @param waited how long it has been there without running; zero for one that runs
/// @param ran how long it has run; zero for one that does not run
/// @param remaining how long it is expected to run on; absent when nothing is known
/// @param lostWork GPU-seconds of work that are lost if it is stopped now: since its last
///   checkpoint, else since its start, and what its restart costs
/// @param preempted when it was stopped before, oldest first, as far as is remembered
/// @param borrows whether its queue uses more than it is guaranteed
/// @param preemptible what its owner says; an owner can only protect, and only as far as the policy
///   heeds it
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
    long lostWork,
    List<Instant> preempted,
    boolean borrows,
    boolean preemptible) {
  public GangProfile {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    models = Collections.unmodifiableSortedSet(new TreeSet<>(models));
    preempted = List.copyOf(preempted);
  }

  /// The same as if it had not been stopped at this time or later.
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
        lostWork,
        preempted.stream().filter(at -> at.isBefore(time)).toList(),
        borrows,
        preemptible);
  }

  /// The same with only some of its members, on so many GPUs and nodes, to leave.
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
        lostWork,
        preempted,
        borrows,
        preemptible);
  }
}
