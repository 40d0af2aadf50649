package dev.muster.deploy.live;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.IntraNodeLinks;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.Hint;
import dev.muster.core.engine.StartHints;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.Hold;
import dev.muster.core.state.GangStatus;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.watch.ObjectFacts;
import dev.muster.simulator.live.LiveExport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Simulates the submission of gangs to a cluster.
///
/// The engine receives their events, and then as many seconds as it needs to search victims and to
/// plan.
final class FitCheck {
  private static final int SECONDS = 30;

  private final ClusterSnapshot snapshot;
  private final TreeMap<GangId, Decision.Preempt> preempting = new TreeMap<>();
  private final TreeMap<GangId, SortedSet<String>> unchecked = new TreeMap<>();
  private State state;

  private FitCheck(ClusterSnapshot snapshot) {
    this.snapshot = snapshot;
    this.state = snapshot.state();
  }

  /// The prospects of a gang.
  enum Verdict {
    /// It starts at once.
    STARTS,
    /// It starts after the preemption of others.
    STARTS_AFTER_EVICTIONS,
    /// It waits.
    WAITS,
    /// It can never start, unless it or the cluster changes.
    NEVER
  }

  /// The answer for one gang.
  ///
  /// @param nodes nodes of its members, if it starts at once
  /// @param links links between the GPUs of each member on its node, where known
  /// @param preempt the preemption for it
  /// @param start its planned start, if there is one
  /// @param reason reason why it does not start at once, a stable token; empty if it does
  /// @param message the reason as one sentence, as the live server words it
  /// @param before number of waiting gangs before it
  /// @param sooner changes that would start it now
  /// @param unchecked resource names of selected GPUs that are not checked: no node is known to
  ///   have some
  record Answer(
      GangId gang,
      Verdict verdict,
      SortedMap<MemberId, NodeId> nodes,
      SortedMap<MemberId, IntraNodeLinks> links,
      Optional<Decision.Preempt> preempt,
      Optional<Instant> start,
      String reason,
      String message,
      int before,
      List<Hint> sooner,
      SortedSet<String> unchecked) {}

  /// Returns the answers for the gangs in the facts.
  ///
  /// @throws IllegalArgumentException if a gang is in the cluster already
  private static List<Answer> of(ClusterSnapshot snapshot, List<Event> facts) {
    SortedSet<GangId> gangs = gangs(facts);
    for (GangId gang : gangs) {
      if (snapshot.state().cluster().gangs().contains(gang)) {
        throw new IllegalArgumentException(
            "The gang %s is already in the cluster. Rename the gang in the file, or the object whose pods it has."
                .formatted(gang));
      }
    }
    FitCheck fit = new FitCheck(snapshot);
    facts.forEach(fact -> fit.step(fit.known(fact), gangs));
    for (int second = 1; second <= SECONDS && !fit.isDecided(gangs); second++) {
      fit.step(new Event.Tick(snapshot.at().plus(Duration.ofSeconds(second))), gangs);
    }
    return gangs.stream().map(fit::answer).toList();
  }

  /// Returns the answers for the gangs of a file.
  ///
  /// @param file name of the file, for errors
  /// @param content its content, YAML
  /// @param namespace namespace of objects that name none
  /// @throws IllegalArgumentException if the content is invalid, or a gang is in the cluster
  ///   already
  static List<Answer> of(ClusterSnapshot snapshot, String file, String content, String namespace) {
    KubeSettings settings = KubeSettings.read(snapshot.header().policies());
    OwnerManifest owners =
        new OwnerManifest(OwnerKinds.with(settings.owners()), settings.accelerators());
    JobManifest.Place place =
        new JobManifest.Place(
            namespace, snapshot.at(), priorities(snapshot.header().policies()), owners);
    JobManifest manifest = JobManifest.read(file, content, place);
    ObjectFacts facts = new ObjectFacts(settings, manifest.priorities(), snapshot.at());
    manifest.tell(facts);
    return of(snapshot, facts.events());
  }

  private static Map<String, Integer> priorities(Map<String, String> settings) {
    Map<String, Integer> priorities = new TreeMap<>();
    settings.forEach((key, value) -> {
      if (key.startsWith(LiveExport.PRIORITY_CLASS)) {
        priorities.put(key.substring(LiveExport.PRIORITY_CLASS.length()), Integer.valueOf(value));
      }
    });
    return priorities;
  }

  private static SortedSet<GangId> gangs(List<Event> facts) {
    SortedSet<GangId> gangs = new TreeSet<>();
    for (Event fact : facts) {
      if (fact instanceof Event.OfGang said) {
        gangs.add(said.gang());
      }
    }
    return gangs;
  }

  /// Returns the fact without selected GPUs that no node of the snapshot is known to have.
  ///
  /// The snapshot records only selections that a claim of the cluster makes. The number of GPUs
  /// still counts.
  private Event known(Event fact) {
    if (!(fact instanceof Event.MemberSeen(var at, var member))) {
      return fact;
    }
    SortedMap<String, Long> needs = member.request().resources().asMap();
    SortedSet<String> unknown = new TreeSet<>(needs.keySet());
    unknown.removeIf(name ->
        !name.contains(" ")
            || snapshot
                .state()
                .cluster()
                .nodes()
                .any(node -> node.node().allocatable().get(name) > 0));
    needs.keySet().removeAll(unknown);
    unchecked.computeIfAbsent(member.gang(), _ -> new TreeSet<>()).addAll(unknown);
    return new Event.MemberSeen(at, member.asking(Resources.of(needs)));
  }

  private void step(Event event, SortedSet<GangId> gangs) {
    Step step = snapshot.engine().step(state, event);
    state = step.after();
    for (Decision decision : step.decisions()) {
      if (decision instanceof Decision.Preempt preempt && gangs.contains(preempt.gang())) {
        preempting.putIfAbsent(preempt.gang(), preempt);
      }
    }
  }

  private boolean isDecided(SortedSet<GangId> gangs) {
    return gangs.stream()
        .allMatch(
            gang -> state.cluster().reservations().contains(gang) || preempting.containsKey(gang));
  }

  private Answer answer(GangId gang) {
    SortedMap<MemberId, NodeId> nodes = new TreeMap<>();
    state
        .cluster()
        .reservations()
        .get(gang)
        .ifPresent(held -> held.promises().forEach(p -> nodes.put(p.member(), p.node())));
    Optional<Decision.Preempt> preempt = Optional.ofNullable(preempting.get(gang));
    Optional<GangStatus> shown = nodes.isEmpty() ? state.publishedStatus(gang) : Optional.empty();
    return new Answer(
        gang,
        verdict(gang, nodes.isEmpty(), preempt),
        nodes,
        IntraNodeLinks.of(state.cluster(), gang),
        preempt,
        state.cluster().holds().get(gang).flatMap(Hold::promised),
        shown.map(GangStatus::reason).orElse(""),
        shown.map(GangStatus::message).orElse(""),
        nodes.isEmpty() ? state.before(gang, snapshot.engine().policies().order()) : 0,
        nodes.isEmpty() ? StartHints.of(state, gang, snapshot.engine().policies()) : List.of(),
        unchecked.getOrDefault(gang, new TreeSet<>()));
  }

  private Verdict verdict(GangId gang, boolean homeless, Optional<Decision.Preempt> preempt) {
    if (!homeless) {
      return Verdict.STARTS;
    }
    if (preempt.filter(Decision.Preempt::enforced).isPresent()) {
      return Verdict.STARTS_AFTER_EVICTIONS;
    }
    boolean hopeless =
        state
            .why(gang)
            .flatMap(Explanation::main)
            .map(Veto::remedy)
            .filter(Remedy.NEVER::equals)
            .isPresent();
    return hopeless ? Verdict.NEVER : Verdict.WAITS;
  }
}
