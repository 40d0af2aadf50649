package dev.muster.policy.preemption.expression;

import dev.muster.core.victims.GangProfile;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A gang as expressions see it, by the names they use: `victim.priority`.
///
/// @param name `namespace/name`
/// @param namespace the namespace
/// @param queue the queue it is accounted to
/// @param priority its effective priority
/// @param labels the labels of its object
/// @param members members that run, or are to start
/// @param minCount smallest number of members it can run with
/// @param gpus GPUs of these members
/// @param nodes number of nodes it runs on
/// @param models GPU models that it runs on, or names
/// @param waited time it has waited
/// @param ran time it has run
/// @param remaining expected remaining run time, if known
/// @param progress share of its run that is done, in percent, if known
/// @param sinceCheckpoint time since its last checkpoint, or else since its start
/// @param lostWork GPU-seconds that are lost if it is preempted now
/// @param preempted times of its earlier preemptions
/// @param borrows true if its queue uses more than its guarantee
/// @param preemptible false if its owner asks to spare it
public record ExpressionGang(
    String name,
    String namespace,
    String queue,
    long priority,
    Map<String, String> labels,
    long members,
    long minCount,
    long gpus,
    long nodes,
    List<String> models,
    Duration waited,
    Duration ran,
    Optional<Duration> remaining,
    Optional<Long> progress,
    Duration sinceCheckpoint,
    long lostWork,
    List<Instant> preempted,
    boolean borrows,
    boolean preemptible) {

  public static ExpressionGang of(GangProfile profile) {
    return new ExpressionGang(
        profile.gang().toString(),
        profile.gang().namespace(),
        profile.queue(),
        profile.priority(),
        profile.labels(),
        profile.members(),
        profile.minCount(),
        profile.gpus(),
        profile.nodes(),
        List.copyOf(profile.models()),
        profile.waited(),
        profile.ran(),
        profile.remaining(),
        RunProgress.percent(profile),
        profile.sinceCheckpoint(),
        profile.lostWork(),
        profile.preempted(),
        profile.borrows(),
        profile.preemptible());
  }
}
