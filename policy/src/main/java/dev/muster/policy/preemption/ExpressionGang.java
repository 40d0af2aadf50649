package dev.muster.policy.preemption;

import dev.muster.core.preemption.Subject;
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
/// @param priority its priority as far as it counts
/// @param labels the labels of its object
/// @param members members that run, or are to start
/// @param minCount with how many it can run
/// @param gpus GPUs of these members
/// @param nodes on how many nodes it runs
/// @param models GPU models that it runs on, or names
/// @param waited how long it has waited
/// @param ran how long it has run
/// @param remaining how long it is expected to run on, if anything is known
/// @param progress the part of its run that is done, in percent, if anything is known
/// @param lostWork GPU-seconds that are lost if it is stopped now
/// @param preempted when it was stopped before
/// @param borrows whether its queue uses more than it is guaranteed
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
    long lostWork,
    List<Instant> preempted,
    boolean borrows,
    boolean preemptible) {

  static ExpressionGang of(Subject subject) {
    return new ExpressionGang(
        subject.gang().toString(),
        subject.gang().namespace(),
        subject.queue(),
        subject.priority(),
        subject.labels(),
        subject.members(),
        subject.minCount(),
        subject.gpus(),
        subject.nodes(),
        List.copyOf(subject.models()),
        subject.waited(),
        subject.ran(),
        subject.remaining(),
        Progress.percent(subject),
        subject.lostWork(),
        subject.preempted(),
        subject.borrows(),
        subject.preemptible());
  }
}
