package dev.muster.core.preempt;

import dev.muster.core.admission.GuaranteeUse;
import dev.muster.core.admission.GuaranteeUse.Leaving;
import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.GangProfile;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Gang profiles describe the gangs of a state as a preemption policy sees them.
public final class GangProfiles {
  /// The time of a restart that counts in any case.
  private static final Duration RESTART = Duration.ofHours(1);

  private final State state;
  private final Policies policies;
  private final Instant now;
  private final GuaranteeUse guarantees;

  /// Creates the profiles of a state.
  public GangProfiles(State state, Policies policies) {
    this(state, policies, state.cluster());
  }

  /// Creates the profiles of a state, with guarantees compared in another image.
  GangProfiles(State state, Policies policies, Cluster image) {
    this.state = state;
    this.policies = policies;
    this.now = state.cluster().now();
    this.guarantees = new GuaranteeUse(policies.queues(), image);
  }

  GuaranteeUse guarantees() {
    return guarantees;
  }

  /// Returns the profile of a gang that needs capacity for these members.
  public GangProfile asking(Gang gang, List<Member> members) {
    return asking(gang, members, !guarantees.covers(gang, gpus(members), Leaving.NONE));
  }

  /// Returns the profile of a gang that needs capacity for these members.
  ///
  /// @param borrows true if its queue would use more than its guarantee
  GangProfile asking(Gang gang, List<Member> members, boolean borrows) {
    TreeSet<String> models = new TreeSet<>(gang.constraints().gpus().models());
    Instant since = gang.eligibleAt();
    for (Instant stopped : state.preemptions().stopped(gang.id(), state.cluster())) {
      since = stopped.isAfter(since) ? stopped : since;
    }
    Duration waited = Duration.between(since, now);
    Duration most = waited.isNegative() ? Duration.ZERO : waited;
    return subject(gang, members, models, most, Duration.ZERO, borrows);
  }

  /// Returns the profile of a gang that needs capacity for the members that it lacks.
  public GangProfile asking(Gang gang) {
    return asking(gang, PendingMembers.needed(state.cluster(), gang));
  }

  /// Returns all running gangs, each as a victim with all its members.
  public List<GangProfile> running() {
    List<GangProfile> running = new ArrayList<>();
    for (Gang gang : state.cluster().gangs()) {
      if (gang.boundCount() > 0) {
        running.add(running(gang, gang.bound()));
      }
    }
    return running;
  }

  /// Returns these running members of a gang as a victim.
  public GangProfile running(Gang gang, List<Member> members) {
    TreeSet<String> models = new TreeSet<>(state.cluster().ledger().held(gang.id()).keys());
    Instant began = RuntimeHistory.began(gang).filter(start -> start.isBefore(now)).orElse(now);
    Duration ran = Duration.between(began, now);
    return subject(gang, members, models, Duration.ZERO, ran, guarantees.borrows(gang));
  }

  private GangProfile subject(
      Gang gang,
      List<Member> members,
      SortedSet<String> models,
      Duration waited,
      Duration ran,
      boolean borrows) {
    Set<NodeId> nodes = new LinkedHashSet<>();
    members.forEach(member -> member.node().ifPresent(nodes::add));
    return new GangProfile(
        gang.id(),
        gang.queue(),
        policies.priority(gang),
        gang.spec().map(GangSpec::labels).orElseGet(TreeMap::new),
        members.size(),
        gang.minCount(),
        gpus(members),
        nodes.size(),
        models,
        waited,
        ran,
        state.history().remaining(gang, now),
        nodes.isEmpty() ? Duration.ZERO : sinceCheckpoint(gang),
        nodes.isEmpty() ? 0 : lostWork(gang, members, ran),
        state.preemptions().stopped(gang.id(), state.cluster()),
        borrows,
        gang.constraints().stopping().preemptible());
  }

  /// Returns the GPUs of the members, with shares of GPUs rounded up.
  static int gpus(List<Member> members) {
    int gpus = 0;
    long milli = 0;
    for (Member member : members) {
      Request request = member.request();
      gpus += request.gpus();
      milli += request.gpuMilli();
    }
    return gpus + (int) ((milli + 999) / 1000);
  }

  /// Returns the time since the oldest checkpoint of its members, or since their start. The whole
  /// gang goes back to it.
  private Duration sinceCheckpoint(Gang gang) {
    Instant saved = now;
    for (Member member : gang.bound()) {
      if (member.state() instanceof MemberState.Bound(_, Instant since)) {
        Instant own = member.report().checkpoint().filter(at -> at.isAfter(since)).orElse(since);
        saved = own.isBefore(saved) ? own : saved;
      }
    }
    return Duration.between(saved, now);
  }

  /// Returns the GPU-seconds that are lost, with those of a restart. Its owner states the time of a
  /// restart, so it counts at most as long as the gang has run, or [#RESTART].
  private long lostWork(Gang gang, List<Member> leaving, Duration ran) {
    Duration most = ran.compareTo(RESTART) > 0 ? ran : RESTART;
    Duration stated = gang.constraints().stopping().restart();
    Duration lost = sinceCheckpoint(gang).plus(stated.compareTo(most) > 0 ? most : stated);
    return Math.max(0, lost.toSeconds()) * Math.max(1, gpus(leaving));
  }

  // ---- Guarantees ----

  /// True if a gang may be preempted for another under any policy, as far as the two alone show.
  ///
  /// - Within a queue, higher priority comes first, whatever the queue is guaranteed.
  /// - A gang within the guarantee of its queue may get back what another queue borrows.
  /// - Otherwise higher priority comes first, and only what another queue borrows may be taken.
  ///   This holds for each unmanaged pod, since it counts for no queue.
  ///
  /// How much a queue loses at most depends on all victims together
  /// ([VictimEligibility#shortfall]).
  public static boolean mayStop(GangProfile preemptor, GangProfile victim) {
    return hasHigherClaim(preemptor, victim)
        && (preemptor.isIn(victim.queue()) || victim.borrows());
  }

  /// True if the preemptor has the higher priority, or gets back what another queue borrows.
  public static boolean hasHigherClaim(GangProfile preemptor, GangProfile victim) {
    boolean reclaims = !preemptor.isIn(victim.queue()) && victim.borrows() && !preemptor.borrows();
    return preemptor.priority() > victim.priority() || reclaims;
  }
}
