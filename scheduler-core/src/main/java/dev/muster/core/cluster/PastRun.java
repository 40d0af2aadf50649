package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangPast.RunEnd;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Optional;

/// The past run of a gang after each fact about it.
///
/// It is not updated before all objects were seen: a gang without its bound pods would look like
/// one that starts again.
final class PastRun {
  private PastRun() {}

  /// Returns the pod as it counts after what was seen of it before.
  ///
  /// A pod that ends while it is being deleted was stopped, and will be replaced. Kubelets report
  /// it as failed or succeeded before it is gone. That ends no run of its gang.
  static Member stopped(Gang before, Member seen) {
    boolean leaves = before.members().contains(seen.id(), old -> isLeaving(old.state()));
    return leaves && isOver(seen) ? seen.as(MemberState.Leaving.ended()) : seen;
  }

  private static boolean isLeaving(MemberState state) {
    return state instanceof MemberState.Leaving;
  }

  /// Returns the gang after this member of it was seen.
  ///
  /// Members that were evicted will be replaced, so their run goes on although no pod of it runs. A
  /// pod that a controller deletes is not marked as evicted: an MPIJob deletes its workers when its
  /// launcher has ended.
  static Gang seen(Gang before, Gang after, Member member) {
    Optional<Instant> evicted = evictedAt(member);
    boolean known = before.members().contains(member.id(), old -> evictedAt(old).isPresent());
    return evicted.isPresent() && !known
        ? after.with(after.past().evicted(evicted))
        : replaced(after, member);
  }

  /// Returns the gang after all objects were seen, in any order.
  static Gang listed(Gang gang) {
    Gang listed = gang;
    for (Member member : gang.past().evictedAt().isPresent() ? gang.members() : List.<Member>of()) {
      listed = replaced(listed, member);
    }
    return noted(foreign(listed));
  }

  /// Returns the gang with what runs already as its first run, if others started that in part.
  ///
  /// Muster records a start before the first pod of it, and later what it knows of the gang. So
  /// running pods of a gang without any record are not of a start that failed. A driver without
  /// GPUs may run before its gang starts, since kube-scheduler asks only about pods with GPUs.
  private static Gang foreign(Gang gang) {
    int started = gang.boundCount() + gang.succeededCount();
    boolean recorded =
        gang.spec()
            .filter(spec -> spec.past().isPresent() || !spec.recorded().isEmpty())
            .isPresent();
    boolean hasGpus = gang.bound().stream().anyMatch(member -> member.request().wantsGpu());
    return recorded || !hasGpus || started >= gang.minCount()
        ? gang
        : gang.with(gang.past().running(Optional.of(started)));
  }

  private static Gang replaced(Gang gang, Member member) {
    return isThere(member)
            && gang.past().evictedAt().filter(at -> !member.createdAt().isBefore(at)).isPresent()
        ? gang.with(gang.past().evicted(Optional.empty()))
        : gang;
  }

  private static boolean isThere(Member member) {
    return member.isBound() || member.wantsNode() || member.state() instanceof MemberState.Held;
  }

  private static Optional<Instant> evictedAt(Member member) {
    return isLeaving(member.state()) && hasRun(member)
        ? member.report().evictedAt()
        : Optional.empty();
  }

  /// Returns the gang with its past brought up to date.
  static Gang noted(Gang gang) {
    if (gang.spec().isEmpty()) {
      return gang;
    }
    GangPast past = gang.past();
    GangPast next =
        past.running(ranWith(gang)).eligible(eligibleAt(gang)).ending(end(gang, past.end()));
    return next.equals(past) ? gang : gang.with(next);
  }

  /// Returns the gang after this member of it went.
  ///
  /// A gang that loses all its pods while it waits is no longer ready, so its age begins again when
  /// it is. One whose pods ran is to be repaired or was preempted, and keeps its age.
  static Gang left(Gang gang, Optional<Member> last) {
    boolean ran = last.filter(PastRun::hasRun).isPresent();
    return gang.members().isEmpty() && !ran
        ? gang.with(gang.past().eligible(Optional.empty()))
        : gang;
  }

  private static boolean hasRun(Member member) {
    return member.state() instanceof MemberState.Leaving leaving
        ? leaving.hasRun()
        : member.isBound() || isOver(member);
  }

  private static boolean isOver(Member member) {
    return member.state() instanceof MemberState.Ended;
  }

  /// Returns the minimum with which the gang runs whole, or did until it was raised. A gang of
  /// which no pod runs must start as a whole again.
  private static Optional<Integer> ranWith(Gang gang) {
    int running = gang.boundCount();
    if (running == 0) {
      return Optional.empty();
    }
    return running + gang.memberCounts().succeeded() >= gang.minCount()
        ? Optional.of(gang.minCount())
        : gang.past().ranWith();
  }

  /// Returns the outcome of the last run. It is forgotten when a pod of the next run comes. Pods
  /// that are deleted one by one afterwards do not change it. A run with evicted members has ended
  /// only if enough others have.
  private static Optional<RunEnd> end(Gang gang, Optional<RunEnd> known) {
    if (isUnderWay(gang)) {
      return Optional.empty();
    }
    RunEnd now = new RunEnd(gang.memberCounts().succeeded(), gang.memberCounts().failed());
    boolean leaves = gang.memberCounts().stopping() > 0;
    boolean more = now.members() >= known.map(RunEnd::members).orElse(1);
    boolean goesOn = gang.past().evictedAt().isPresent() && now.members() < gang.minCount();
    return !leaves && more && !goesOn ? Optional.of(now) : known;
  }

  private static boolean isUnderWay(Gang gang) {
    MemberCounts counts = gang.memberCounts();
    return counts.bound() + counts.wanting() + counts.heldByOthers() > 0;
  }

  /// Returns the time from which the gang's age counts.
  ///
  /// Pods that replace others, and further pods, leave it as it is. The next run of a gang that has
  /// ended begins again.
  private static Optional<Instant> eligibleAt(Gang gang) {
    boolean again = isUnderWay(gang) && gang.past().end().isPresent();
    Optional<Instant> known = again ? Optional.empty() : gang.past().eligibleAt();
    return known.isPresent() || !gang.isComplete() ? known : Optional.of(completeAt(gang));
  }

  /// Returns the creation time of the last object that the gang needed to be complete. The result
  /// is the same whenever the objects are seen.
  private static Instant completeAt(Gang gang) {
    Instant declared = gang.spec().map(GangSpec::createdAt).orElse(Instant.MAX);
    List<Instant> created = new ArrayList<>();
    gang.present().forEach(member -> created.add(member.createdAt()));
    created.sort(null);
    Instant last = created.get(gang.wholeCount() - 1);
    return last.isAfter(declared) ? last : declared;
  }

  /// Returns the GPUs that a gang lost before Muster started.
  ///
  /// What it held is not known then. If it ran whole, each member that it lacks counts as its
  /// smallest one with GPUs, and all of them as no more GPUs than it holds. Waiting members that
  /// are recorded with a place count at least.
  static long lostGpus(Gang gang) {
    IntSummaryStatistics bound = boundStatistics(gang);
    boolean ran = gang.past().ranWith().isPresent() && bound.getCount() > 0;
    long lost = ran ? (long) bound.getMin() * gang.lacking(Optional.empty()) : 0;
    return Math.max(Math.min(lost, bound.getSum()), promisedGpus(gang));
  }

  /// Returns the GPUs of the members that are bound and do not terminate.
  static long boundGpus(Gang gang) {
    return boundStatistics(gang).getSum();
  }

  /// Returns the statistics of the GPUs of bound members that have some.
  private static IntSummaryStatistics boundStatistics(Gang gang) {
    return gang.bound().stream()
        .mapToInt(member -> member.request().gpus())
        .filter(gpus -> gpus > 0)
        .summaryStatistics();
  }

  /// Returns the GPUs of waiting members that had a place when the gang began to start, by its
  /// record.
  private static long promisedGpus(Gang gang) {
    var recorded = gang.spec().map(GangSpec::recorded).orElse(SortedTable.empty());
    return recorded.isEmpty()
        ? 0
        : gang.waiting().stream()
            .filter(pod -> recorded.contains(pod.id()))
            .mapToLong(pod -> pod.request().gpus())
            .sum();
  }
}
