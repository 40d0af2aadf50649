package dev.muster.policy.preemption;

import dev.muster.core.gang.GangId;
import dev.muster.core.victims.GangProfile;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// A gang as files describe it, with defaults filled in; [GangProfile] documents each field.
public record GangFacts(
    String name,
    Optional<String> queue,
    int priority,
    SortedMap<String, String> labels,
    int members,
    Optional<Integer> minCount,
    int gpus,
    int nodes,
    List<String> models,
    Duration waited,
    Duration ran,
    Optional<Duration> remaining,
    Optional<Duration> sinceCheckpoint,
    Optional<Long> lostWork,
    List<Instant> preempted,
    boolean borrows,
    boolean preemptible) {
  public GangFacts {
    labels = new TreeMap<>(labels);
    models = List.copyOf(models);
    preempted = List.copyOf(preempted);
  }

  /// Returns the gang as policies see it.
  public GangProfile subject() {
    String[] parts = name.split("/", 2);
    return new GangProfile(
        new GangId(parts[0], GangId.Origin.POD_GROUP, parts[1]),
        queue.orElse(parts[0]),
        priority,
        labels,
        members,
        minCount.orElse(members),
        gpus,
        nodes,
        new TreeSet<>(models),
        waited,
        ran,
        remaining,
        sinceCheckpoint.orElse(ran),
        lostWork.orElseGet(() -> ran.toSeconds() * gpus),
        preempted,
        borrows,
        preemptible);
  }
}
