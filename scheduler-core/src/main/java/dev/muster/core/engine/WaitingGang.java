package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Preemption.Stop;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.placement.SearchResult;
import dev.muster.core.preemption.Candidate;
import dev.muster.core.preemption.Preemptor;
import dev.muster.core.preemption.Price;
import dev.muster.core.preemption.Ruling;
import dev.muster.core.preemption.Subject;
import dev.muster.core.preemption.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A waiting gang that asks for the room of others, in the engine's state.
///
/// @param state the state
/// @param policies the configuration
/// @param gang the gang, taking only models of which its queue may use more
/// @param members its members that must start, in rank order
/// @param image the cluster as far as it may use it, without the pods that are on their way out
/// @param subject the gang as the policy sees it
/// @param subjects the others as the policy sees them
record WaitingGang(
    State state,
    Policies policies,
    Gang gang,
    List<Member> members,
    Cluster image,
    Subject subject,
    Subjects subjects)
    implements Preemptor {
  static WaitingGang of(State state, Gang gang, Policies policies) {
    List<Member> wanting = Wanting.of(state.cluster(), gang);
    int least = Math.max(1, Wanting.lacking(state.cluster(), gang));
    List<Member> members = wanting.subList(0, Math.min(least, wanting.size()));
    Cluster image = Bounds.of(state, gang, policies.order()).image();
    for (Map.Entry<MemberId, GangId> pod : leaving(state, SortedTable.empty()).entrySet()) {
      image = image.vacatedBy(pod.getValue(), List.of(pod.getKey()));
    }
    Subjects subjects = new Subjects(state, policies);
    return new WaitingGang(
        state,
        policies,
        policies.quota().narrowed(state.cluster(), gang),
        members,
        image,
        subjects.asking(gang, members),
        subjects);
  }

  /// The pods that are on their way out, or are to be, with their gangs: those being deleted, those
  /// of victims that are being evicted, and these.
  static SortedMap<MemberId, GangId> leaving(State state, SortedTable<GangId, Stop> stops) {
    TreeMap<MemberId, GangId> leaving = new TreeMap<>();
    for (Gang gang : state.cluster().gangs()) {
      if (gang.leavingCount() > 0) {
        for (Member member : gang.members()) {
          if (member.state() instanceof MemberState.Leaving && member.node().isPresent()) {
            leaving.put(member.id(), gang.id());
          }
        }
      }
    }
    for (Preemption preemption : state.preemptions().underWay()) {
      if (preemption.evicting()) {
        preemption.stops().forEach(stop -> add(stop, leaving));
      }
    }
    stops.forEach(stop -> add(stop, leaving));
    return leaving;
  }

  private static void add(Stop stop, SortedMap<MemberId, GangId> leaving) {
    stop.victim().members().keys().forEach(pod -> leaving.put(pod, stop.victim().gang()));
  }

  @Override
  public SearchResult place(Cluster cluster) {
    return Attempt.place(cluster, gang, members, policies);
  }

  // ---- Who may leave ----

  @Override
  public List<Candidate> candidates(GangId running) {
    Gang other = state.cluster().gang(running);
    if (!mayBeAsked(other)) {
      return List.of();
    }
    List<Member> bound = new ArrayList<>();
    for (Member member : other.members()) {
      if (member.isBound()) {
        bound.add(member);
      }
    }
    int least = other.spec().map(GangSpec::minCount).orElse(1) - other.succeededCount();
    List<Candidate> candidates = new ArrayList<>();
    if (least > 0 && least < bound.size()) {
      bound.sort(Member.BY_RANK);
      candidate(other, bound.subList(least, bound.size()), true).ifPresent(candidates::add);
    }
    candidate(other, bound, false).ifPresent(candidates::add);
    return candidates;
  }

  /// A gang that is starting, or that is already being stopped, is left alone; unless it is to be
  /// stopped for a gang of lower priority, and that has not begun.
  private boolean mayBeAsked(Gang other) {
    if (other.boundCount() == 0
        || other.id().equals(gang.id())
        || state.cluster().reservations().contains(other.id())
        || state.preemptions().barred().contains(other.id())) {
      return false;
    }
    return state
        .preemptions()
        .by(other.id())
        .map(preemption -> !preemption.evicting() && outranks(preemption.gang()))
        .orElse(true);
  }

  private boolean outranks(GangId preemptor) {
    return subject.priority() > policies.priority(state.cluster().gang(preemptor));
  }

  /// Members that an elastic gang gives back stop nobody: they cost nothing.
  private Optional<Candidate> candidate(Gang other, List<Member> leaving, boolean spare) {
    Subject victim = subjects.running(other, leaving);
    if (!Subjects.mayStop(subject, victim)
        || !(policies.preemption().ruling(subject, victim, state.cluster().now())
            instanceof Ruling.Allowed ruling)) {
      return Optional.empty();
    }
    List<Term> terms = policies.preemption().terms();
    List<Long> amounts = spare ? terms.stream().map(_ -> 0L).toList() : ruling.price();
    return Optional.of(
        new Candidate(
            victim,
            leaving.stream().map(Member::id).toList(),
            ruling,
            new Price(terms, amounts),
            spare));
  }
}
