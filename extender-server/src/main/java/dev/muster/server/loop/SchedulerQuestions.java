package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// The first questions of kube-scheduler about promised pods, in its calls of `/filter`.
///
/// Goals: a gang is not released because kube-scheduler has a backlog and did not come to its pods.
///
/// Constraints: a start as usual costs no event. kube-scheduler does not ask about a pod that its
/// own filters refuse everywhere, for example for a missing volume; its time counts as before.
///
/// Algorithm: shortly before a reservation would end, the time of the latest first question about
/// its members is reported. That is now if one of them was not asked about while kube-scheduler has
/// a backlog. The engine moves the end of the reservation by it, within a limit. There is a backlog
/// in two cases:
/// - kube-scheduler asked about [#BUSY] different pods within 15 s that it may bind. A pod counts
///   once, since in a backlog it comes to one pod after the other. A pod with a gate, or with a
///   node, is not in its queue. So calls that others make look like a backlog only with as many
///   such pods as a backlog has.
/// - After the promise and within [#PROGRESS], it came for the first time to a pod of another gang
///   that was not promised later. It asks rarely where its own filters refuse most pods, as
///   nominations take all GPUs.
///
/// Example: with its default of 50 calls per second, kube-scheduler refuses about 25 pods per
/// second. It comes to the last of 20,000 waiting pods after 13 minutes.
public final class SchedulerQuestions {
  /// Time before the end of a reservation in which its questions are reported.
  static final Duration NEAR = Duration.ofSeconds(15);

  /// Different pods within [#WINDOW] from which on kube-scheduler is busy.
  static final int BUSY = 100;

  /// Time after which a first question no longer shows that kube-scheduler works off a backlog.
  static final Duration PROGRESS = Duration.ofSeconds(30);

  private static final Duration WINDOW = Duration.ofSeconds(15);

  private final InstantSource clock;
  private final Map<GangId, Map<MemberId, Instant>> first = new ConcurrentHashMap<>();
  private final Map<GangId, Instant> reported = new HashMap<>();

  /// The last pods of its queue, [#BUSY] at most, with the time of the last question about each.
  private final SequencedMap<MemberId, Instant> last = new LinkedHashMap<>();

  private final Deque<First> firsts = new ArrayDeque<>();

  /// A first question about a pod.
  ///
  /// @param since time of the promise
  private record First(GangId gang, Instant since, Instant at) {}

  /// @param clock time of the events
  public SchedulerQuestions(InstantSource clock) {
    this.clock = clock;
  }

  /// Records a question about a member.
  public void asked(State state, Member member) {
    Instant now = clock.instant();
    Optional<Reservation> promised =
        state
            .cluster()
            .reservations()
            .get(member.gang())
            .filter(held -> held.promises().contains(member.id()));
    if (member.state() instanceof MemberState.Waiting
        || (promised.isPresent() && member.wantsNode())) { // it starts: its gate may just be gone
      synchronized (last) {
        last.putLast(member.id(), now);
        if (last.size() > BUSY) {
          last.pollFirstEntry();
        }
      }
    }
    promised.ifPresent(held -> asked(held, member, now));
  }

  private void asked(Reservation held, Member member, Instant now) {
    Map<MemberId, Instant> asked =
        first.computeIfAbsent(member.gang(), _ -> new ConcurrentHashMap<>());
    if (asked.putIfAbsent(member.id(), now) == null) {
      synchronized (last) {
        forget(now);
        firsts.addLast(new First(member.gang(), held.since(), now));
      }
    }
  }

  private void forget(Instant now) {
    while (!firsts.isEmpty() && firsts.getFirst().at().isBefore(now.minus(PROGRESS))) {
      firsts.removeFirst();
    }
  }

  /// Returns the reports that are due. Called by one thread.
  ///
  /// @param isAskable true for a member about which kube-scheduler asks Muster, as it is now
  public List<Event.StartDelayed> due(State state, Predicate<Member> isAskable) {
    var reservations = state.cluster().reservations();
    first.keySet().removeIf(gang -> !reservations.contains(gang));
    reported.keySet().removeIf(gang -> !reservations.contains(gang));
    Instant now = state.cluster().now();
    List<Event.StartDelayed> due = new ArrayList<>();
    for (Reservation held : reservations) {
      if (!held.releasing()
          && !held.promises().isEmpty()
          && !now.isBefore(held.until().minus(NEAR))) {
        latest(state, held, isAskable)
            .filter(asked -> asked.isAfter(held.since()))
            .filter(asked -> !asked.equals(reported.put(held.gang(), asked)))
            .ifPresent(asked -> due.add(new Event.StartDelayed(now, held.gang(), asked)));
      }
    }
    return due;
  }

  private boolean isBehind(Reservation held, Instant now) {
    synchronized (last) {
      forget(now);
      return (last.size() == BUSY && last.firstEntry().getValue().isAfter(now.minus(WINDOW)))
          || firsts.stream()
              .anyMatch(one ->
                  !one.gang().equals(held.gang())
                      && !one.since().isAfter(held.since())
                      && one.at().isAfter(held.since()));
    }
  }

  /// Returns the time of the latest first question about the members. It is now if a member without
  /// gate was not asked about while kube-scheduler has a backlog.
  private Optional<Instant> latest(State state, Reservation held, Predicate<Member> isAskable) {
    Instant now = state.cluster().now();
    Map<MemberId, Instant> asked = first.getOrDefault(held.gang(), Map.of());
    for (Promise promise : held.promises()) {
      Optional<Member> member =
          state
              .cluster()
              .gang(held.gang())
              .members()
              .get(promise.member())
              .filter(Member::wantsNode)
              .filter(isAskable);
      if (member.isPresent() && !asked.containsKey(promise.member())) {
        return isBehind(held, now) ? Optional.of(now) : Optional.empty();
      }
    }
    return asked.values().stream().max(Instant::compareTo);
  }
}
