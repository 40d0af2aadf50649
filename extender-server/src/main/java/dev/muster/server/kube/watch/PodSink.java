package dev.muster.server.kube.watch;

import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.codec.ParallelJob;
import dev.muster.server.kube.codec.PodCodec;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.codec.UncountedPod;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.record.GangRecords;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.InstantSource;
import java.util.Optional;

/// Passes on the facts and problems of pods, and the irrelevant pods with Muster's gate.
public record PodSink(
    PodCodec codec,
    ChangeFilter facts,
    ObjectProblems problems,
    OrphanedGates strays,
    ParallelJobs jobs,
    OwnerGangs owners,
    GangRecords records,
    InstantSource clock)
    implements ResourceWatch.Sink<Pod> {
  public PodSink(
      PodCodec codec,
      ChangeFilter facts,
      ObjectProblems problems,
      OrphanedGates strays,
      InstantSource clock) {
    this(codec, facts, problems, strays, OwnerGangs.none(), clock);
  }

  /// @param owners the gangs of owners
  public PodSink(
      PodCodec codec,
      ChangeFilter facts,
      ObjectProblems problems,
      OrphanedGates strays,
      OwnerGangs owners,
      InstantSource clock) {
    this(
        codec,
        facts,
        problems,
        strays,
        new ParallelJobs(problems),
        owners,
        new GangRecords(facts),
        clock);
  }

  @Override
  public void seen(String key, Pod pod) {
    owners.pod(key, Optional.of(pod).filter(codec::mayJoinOwner));
    PodFact fact = recorded(key, pod, codec.read(pod), records);
    Optional<UncountedPod> uncounted = UncountedPod.of(pod, fact, codec.schedulerNames());
    facts.pod(key, fact, uncounted);
    String gang = uncounted.map(found -> found.gang().toString()).orElse("");
    problems.note(
        "pod/" + key,
        problem(fact)
            .map(found -> found.among(gang))
            .or(() -> UncountedPod.problem(pod, codec.schedulerNames())));
    jobs.note(
        key,
        Optional.of(ObjectRef.to(pod)),
        ParallelJob.of(pod, fact).filter(_ -> !owners.isDecided(OwnedPod.of(pod))));
    strays.note(
        key,
        fact instanceof PodFact.Stray(MemberId id) ? Optional.of(id) : Optional.empty(),
        clock.instant());
  }

  /// Returns the fact with the victims that the pod records, if it declares a gang.
  static PodFact recorded(String key, Pod pod, PodFact fact, GangRecords records) {
    return fact instanceof PodFact.Ours(var member, var own, var problem, var stint)
            && own.isPresent()
        ? new PodFact.Ours(member, Optional.of(records.ofPod(key, pod, own.get())), problem, stint)
        : fact;
  }

  private static Optional<ObjectProblem> problem(PodFact fact) {
    return switch (fact) {
      case PodFact.Ours(_, _, var problem, _) -> problem;
      case PodFact.Unreadable(var problem, _) -> Optional.of(problem);
      case PodFact.Unmanaged _, PodFact.Nothing _, PodFact.Stray _ -> Optional.empty();
    };
  }

  @Override
  public void gone(String key) {
    records.forget(key);
    facts.pod(key, new PodFact.Nothing(), Optional.empty());
    problems.note("pod/" + key, Optional.empty());
    jobs.note(key, Optional.empty(), Optional.empty());
    strays.note(key, Optional.empty(), clock.instant());
    owners.pod(key, Optional.empty());
  }
}
