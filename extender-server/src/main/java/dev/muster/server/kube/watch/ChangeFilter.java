package dev.muster.server.kube.watch;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Node;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.codec.PodFact;
import dev.muster.server.kube.codec.UncountedPod;
import dev.muster.server.kube.record.RecordFacts;
import dev.muster.server.kube.watch.gang.DiscrepancyTracker;
import dev.muster.server.kube.watch.gang.EarlierRuns;
import dev.muster.server.kube.watch.gang.GangChange;
import dev.muster.server.kube.watch.gang.GangRuns;
import dev.muster.server.kube.watch.gang.PodDeclarations;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// A change filter: keeps the last facts of every object and passes on only differences.
///
/// Order of events:
/// - A gang declared by its own pods comes before its first pod and goes after its last one.
/// - A pod whose identity or gang changed goes before it comes again.
/// - All facts of one object about one gang are one event.
public final class ChangeFilter implements RecordFacts {
  private final Consumer<Event> engine;
  private final InstantSource clock;
  private final Predicate<Member> promised;
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, PodFact> pods = new HashMap<>();
  private final EarlierRuns runs = new EarlierRuns();
  private final Map<GangId, GangSpec> declared = new HashMap<>();
  private final PodDeclarations offered = new PodDeclarations();
  private final Map<GangId, GangSpec> told = new HashMap<>();

  private final DiscrepancyTracker discrepancies = new DiscrepancyTracker();

  /// Facts of the current object about one gang that were not passed on yet.
  private final List<Event.GangFact> untold = new ArrayList<>();

  private boolean synced;

  /// Creates a filter in front of the engine, or of another receiver of its events.
  public ChangeFilter(Consumer<Event> engine, InstantSource clock) {
    this(engine, clock, _ -> false);
  }

  /// @param promised true if the engine has promised a node to the pod
  public ChangeFilter(Consumer<Event> engine, InstantSource clock, Predicate<Member> promised) {
    this.engine = engine;
    this.clock = clock;
    this.promised = promised;
  }

  /// Records that all existing objects were passed on.
  public synchronized void synced() {
    engine.accept(new Event.Synced(clock.instant()));
    synced = true;
  }

  /// Returns the gang in which the pod stays: the one under which it got its node. It leaves that
  /// by a [GangChange] of its owner alone. Until all objects were passed on, no pod stays.
  ///
  /// @param next the gang that it or its owner names now
  public synchronized Optional<GangId> gangInWhichStays(Pod pod, GangId next) {
    return synced
            && pods.get(Cache.metaNamespaceKeyFunc(pod)) instanceof PodFact.Ours known
            && known.member().id().uid().equals(pod.getMetadata().getUid())
            && (GangChange.hasHadNode(known.member()) || promised.test(known.member()))
            && !GangChange.isOfOwner(known, pod, next)
        ? Optional.of(known.member().gang())
        : Optional.empty();
  }

  @Override
  public synchronized boolean isMember(GangId gang, MemberId pod) {
    return pods.get(pod.namespace() + "/" + pod.name()) instanceof PodFact.Ours known
        && known.member().id().equals(pod)
        && known.member().gang().equals(gang);
  }

  @Override
  public synchronized boolean isNotified(GangId victim, GangId by) {
    return Optional.ofNullable(told.get(victim))
        .flatMap(spec -> spec.preemption().notice())
        .filter(notice -> notice.by().equals(by))
        .isPresent();
  }

  synchronized void node(Node node) {
    if (!node.equals(nodes.put(node.id().name(), node))) {
      engine.accept(new Event.NodeSeen(clock.instant(), node));
    }
  }

  synchronized void noNode(String name) {
    if (nodes.remove(name) != null) {
      engine.accept(new Event.NodeGone(clock.instant(), new NodeId(name)));
    }
  }

  /// Records the data of the gang's PodGroup.
  synchronized void gang(GangSpec spec) {
    declared.merge(spec.id(), spec, ChangeFilter::changed);
    discrepancies.podGroup(spec.id(), Optional.empty());
    emit(spec.id());
    discrepancies(spec.id());
    emitAll();
  }

  /// Returns the new data of a PodGroup with the past that it recorded when it was first seen. The
  /// engine itself writes the past, so a change of it is no news.
  private static GangSpec changed(GangSpec before, GangSpec now) {
    return now.createdAt().equals(before.createdAt()) ? now.recalling(before.past()) : now;
  }

  /// Records that the gang has no PodGroup.
  synchronized void noGang(GangId gang) {
    declared.remove(gang);
    discrepancies.podGroup(gang, Optional.empty());
    emit(gang);
    discrepancies(gang);
    emitAll();
  }

  /// Records that the gang's PodGroup is invalid.
  ///
  /// @param stands true if its earlier data stay in force
  synchronized void invalidGang(GangId gang, String mistakes, boolean stands) {
    if (!stands) {
      declared.remove(gang);
    }
    discrepancies.podGroup(gang, Optional.of(mistakes));
    emit(gang);
    discrepancies(gang);
    emitAll();
  }

  private void discrepancies(GangId gang) {
    discrepancies
        .changed(gang, told.containsKey(gang))
        .ifPresent(found -> say(new Event.DiscrepanciesSeen(clock.instant(), gang, found)));
  }

  /// Records the current state of the pod with this key.
  ///
  /// @param uncounted the gang that it names without counting
  synchronized void pod(String key, PodFact read, Optional<UncountedPod> uncounted) {
    pod(key, read);
    boolean counts = pods.get(key) instanceof PodFact.Ours; // by its earlier, valid form
    Optional<UncountedPod> found = uncounted.filter(_ -> !counts);
    discrepancies.pod(key, found).ifPresent(this::discrepancies);
    found.map(UncountedPod::gang).ifPresent(this::discrepancies);
    emitAll();
  }

  /// Records the current state of the pod with this key.
  synchronized void pod(String key, PodFact read) {
    PodFact before = pods.getOrDefault(key, new PodFact.Nothing());
    PodFact fact = standing(before, read);
    if (fact.equals(before)) {
      return;
    }
    if (sameIdentity(before, fact)) {
      come(key, before, fact);
    } else if (GangChange.isOnNode(before, fact)) {
      come(key, new PodFact.Nothing(), fact); // first, or its capacity would be free in between
      leave(key, before);
    } else {
      leave(key, before);
      come(key, new PodFact.Nothing(), fact);
    }
    if (read instanceof PodFact.Ours is && is.member().gang().origin() == Origin.POD) {
      declaration(is.member().gang(), key, is.own().isEmpty() ? is.problem() : Optional.empty());
    }
    emitAll();
    switch (fact) {
      case PodFact.Ours _, PodFact.Unmanaged _ -> pods.put(key, fact);
      case PodFact.Nothing _, PodFact.Stray _, PodFact.Unreadable _ -> pods.remove(key);
    }
  }

  /// Records the mistakes in the gang data that the pod states.
  private void declaration(GangId gang, String key, Optional<ObjectProblem> problem) {
    discrepancies.declaration(gang, key, problem.map(ObjectProblem::message));
    discrepancies(gang);
  }

  /// Keeps the earlier gang data of a pod while its present data are invalid.
  private static PodFact standing(PodFact before, PodFact fact) {
    if (fact instanceof PodFact.Unreadable bad && isOf(before, bad.problem())) {
      return bad.after(before);
    }
    return before instanceof PodFact.Ours was
            && fact instanceof PodFact.Ours is
            && sameIdentity(was, is)
            && is.own().isEmpty()
            && is.problem().isPresent()
        ? new PodFact.Ours(is.member(), was.own(), is.problem(), is.stint())
        : fact;
  }

  private static boolean isOf(PodFact fact, ObjectProblem problem) {
    String uid = problem.object().uid();
    return switch (fact) {
      case PodFact.Ours(var member, _, _, _) -> uid.isEmpty() || member.id().uid().equals(uid);
      case PodFact.Unmanaged unmanaged -> uid.isEmpty() || unmanaged.id().uid().equals(uid);
      case PodFact.Nothing _, PodFact.Stray _, PodFact.Unreadable _ -> true;
    };
  }

  private static boolean sameIdentity(PodFact before, PodFact after) {
    if (before instanceof PodFact.Ours was && after instanceof PodFact.Ours is) {
      return was.member().id().equals(is.member().id())
          && was.member().gang().equals(is.member().gang());
    }
    return before instanceof PodFact.Unmanaged was
        && after instanceof PodFact.Unmanaged is
        && was.id().equals(is.id());
  }

  private void leave(String key, PodFact before) {
    switch (before) {
      case PodFact.Ours was -> {
        if (!runs.remove(key, was)) {
          gone(was.member());
        }
        pass(was.member().gang());
        declaration(was.member().gang(), key, Optional.empty());
      }
      case PodFact.Unmanaged unmanaged ->
          unmanaged(new Event.UnmanagedPodGone(clock.instant(), unmanaged.id()));
      case PodFact.Nothing _, PodFact.Stray _, PodFact.Unreadable _ -> {}
    }
  }

  private void come(String key, PodFact before, PodFact fact) {
    switch (fact) {
      case PodFact.Ours is -> {
        Optional<Member> known = Optional.empty();
        if (before instanceof PodFact.Ours was) {
          known = Optional.of(was.member());
        }
        runs.put(key, is);
        if (known.isEmpty()) {
          pass(is.member().gang()); // otherwise the new pod would start with pods of an earlier run
        }
        if (!runs.isPast(is.member().gang(), key)) {
          seen(known, is);
        }
        pass(is.member().gang());
      }
      case PodFact.Unmanaged(var id, var node, var resources, int gpus) ->
          unmanaged(new Event.UnmanagedPodSeen(clock.instant(), id, node, resources, gpus));
      case PodFact.Nothing _, PodFact.Stray _, PodFact.Unreadable _ -> {}
    }
  }

  private void seen(Optional<Member> known, PodFact.Ours pod) {
    Member member = pod.member();
    offered.put(known, member, pod.own());
    emit(member.gang());
    if (!known.equals(Optional.of(member))) {
      say(new Event.MemberSeen(clock.instant(), member));
    }
  }

  private void gone(Member member) {
    say(new Event.MemberGone(clock.instant(), member.gang(), member.id()));
    offered.remove(member);
    emit(member.gang());
  }

  /// Reports pods of earlier runs of the gang as gone, although their objects exist. Pods that
  /// count again are reported as seen.
  private void pass(GangId gang) {
    GangRuns.Changes changes = runs.changes(gang);
    changes.present().values().forEach(pod -> seen(Optional.empty(), pod));
    changes
        .past()
        .forEach((key, pod) -> {
          if (isKnown(key, pod)) {
            gone(pod.member());
          }
        });
  }

  private boolean isKnown(String key, PodFact.Ours pod) {
    return pods.get(key) instanceof PodFact.Ours known && sameIdentity(known, pod);
  }

  private void emit(GangId gang) {
    Optional<GangSpec> spec = Optional.ofNullable(declared.get(gang)).or(() -> offered.of(gang));
    if (spec.isEmpty()) {
      if (told.remove(gang) != null) {
        say(new Event.GangGone(clock.instant(), gang));
      }
    } else if (!spec.get().equals(told.put(gang, spec.get()))) {
      say(new Event.GangSeen(clock.instant(), spec.get()));
    }
  }

  private void say(Event.GangFact fact) {
    if (!untold.isEmpty() && !untold.getFirst().gang().equals(fact.gang())) {
      emitAll();
    }
    untold.add(fact);
  }

  private void unmanaged(Event fact) {
    emitAll();
    engine.accept(fact);
  }

  private void emitAll() {
    if (untold.size() > 1) {
      Event.GangFact first = untold.getFirst();
      engine.accept(new Event.GangChanged(first.at(), first.gang(), untold));
    } else {
      untold.forEach(engine);
    }
    untold.clear();
  }
}
