package dev.muster.simulator.live;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The history of one gang, from its first event to its end.
///
/// A gang runs while its minimum of members is bound; members that succeeded count, too.
final class GangHistory {
  /// The largest delay of the first event for which its time replaces the creation time.
  ///
  /// Creation times are whole seconds, so the time of a prompt event is more exact.
  private static final Duration FRESH = Duration.ofSeconds(5);

  final GangId id;
  private final Instant firstSeen;
  private Optional<GangSpec> spec = Optional.empty();
  private final TreeMap<MemberId, Member> pods = new TreeMap<>();
  private final Map<Request, Integer> requests = new LinkedHashMap<>();
  private final Set<MemberId> past = new HashSet<>();
  private Optional<Member> first = Optional.empty();
  private Optional<Instant> runsSince = Optional.empty();
  private Optional<Instant> started = Optional.empty();
  private Optional<Instant> ended = Optional.empty();
  private Duration ran = Duration.ZERO;
  private int most;
  private int succeeded;
  private int priority;

  GangHistory(GangId id, Instant firstSeen) {
    this.id = id;
    this.firstSeen = firstSeen;
  }

  void declared(GangSpec said) {
    spec = Optional.of(said);
  }

  /// True if this is an earlier gang of this name.
  boolean isBefore(GangSpec said) {
    return spec.isPresent() && spec.get().createdAt().isBefore(said.createdAt());
  }

  void seen(Event.MemberSeen event) {
    Member member = event.member();
    if (past.contains(member.id())) {
      return; // repeated event
    }
    Optional<Member> before = Optional.ofNullable(pods.put(member.id(), member));
    if (before.isEmpty()) {
      requests.merge(member.request(), 1, Integer::sum);
      priority = member.priority();
      first =
          first
              .filter(other -> Member.BY_RANK.compare(other, member) < 0)
              .or(() -> Optional.of(member));
    }
    if (member.state() instanceof MemberState.Ended) {
      pods.remove(member.id());
      past.add(member.id());
      succeeded += member.hasSucceeded() ? 1 : 0;
    }
    most = Math.max(most, pods.size() + succeeded);
    change(since(event, before));
  }

  /// Returns the binding time of a pod that was already bound at its first event.
  private static Instant since(Event.MemberSeen event, Optional<Member> before) {
    return before.isEmpty() && event.member().state() instanceof MemberState.Bound(_, Instant since)
        ? earlier(since, event.at())
        : event.at();
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  void gone(MemberId pod, Instant at) {
    pods.remove(pod);
    past.add(pod);
    change(at);
  }

  /// Removes the pods that a new listing lacks.
  ///
  /// Their end is unknown, so the time of the listing counts.
  void relisted(Set<MemberId> seen, Instant at) {
    if (pods.keySet().retainAll(seen)) {
      change(at);
    }
  }

  private void change(Instant at) {
    long bound = pods.values().stream().filter(Member::isBound).count();
    int least = spec.map(GangSpec::minCount).orElse(1);
    boolean runs = bound > 0 && bound + succeeded >= least;
    if (runs && runsSince.isEmpty()) {
      runsSince = Optional.of(at);
      started = started.or(() -> Optional.of(at));
    } else if (!runs && runsSince.isPresent()) {
      ran = ran.plus(Duration.between(runsSince.get(), later(at, runsSince.get())));
      runsSince = Optional.empty();
      ended = Optional.of(at);
    }
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  // ---- Results ----

  Optional<GangSpec> spec() {
    return spec;
  }

  /// Returns the constraints of the gang's object, completed by those of its first member.
  GangConstraints wishes() {
    GangConstraints own = spec.map(GangSpec::wishes).orElse(GangConstraints.NONE);
    return first.map(Member::wishes).map(own::or).orElse(own);
  }

  /// Returns the time of submission, which is never after the start.
  Instant submitted() {
    Instant created =
        spec.map(GangSpec::createdAt).filter(at -> at.isAfter(Instant.EPOCH)).orElse(firstSeen);
    boolean fresh = Duration.between(created, firstSeen).compareTo(FRESH) < 0;
    Instant at = fresh ? later(firstSeen, created) : created;
    return started.map(start -> earlier(start, at)).orElse(at);
  }

  Optional<Instant> started() {
    return started;
  }

  /// Returns the time of its end; empty while it runs or waits to run again.
  Optional<Instant> ended() {
    return pods.isEmpty() ? ended : Optional.empty();
  }

  /// Returns the total run time of all its starts until a given time.
  Duration ranUntil(Instant now) {
    return ran.plus(
        runsSince.map(since -> Duration.between(since, later(now, since))).orElse(Duration.ZERO));
  }

  /// True if it ended without a start.
  boolean isWithdrawn() {
    return pods.isEmpty() && started.isEmpty();
  }

  /// Returns the number of members with the main request, scaled from all requests seen.
  int workers() {
    long of = requests.values().stream().mapToInt(Integer::intValue).sum();
    long alike = request().map(requests::get).orElse(1);
    return (int) Math.max(1, most * alike / Math.max(1, of));
  }

  int minWorkers() {
    int least = spec.map(GangSpec::minCount).orElse(1);
    return isMixed() ? workers() : Math.min(workers(), least);
  }

  int priority() {
    return spec.flatMap(GangSpec::priority).orElse(priority);
  }

  /// Returns the most frequent request of its pods; requests with GPUs come first.
  Optional<Request> request() {
    return requests.entrySet().stream()
        .max(
            Comparator.comparing((Map.Entry<Request, Integer> each) -> each.getKey().gpus() > 0)
                .thenComparing(Map.Entry::getValue))
        .map(Map.Entry::getKey);
  }

  /// True if its pods have different requests.
  boolean isMixed() {
    return requests.size() > 1;
  }
}
