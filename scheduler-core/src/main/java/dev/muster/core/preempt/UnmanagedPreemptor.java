package dev.muster.core.preempt;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.VictimCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// An unmanaged preemptor is a pod of another scheduler for which kube-scheduler wants to evict
/// pods.
///
/// The policy judges it like a gang, with its limits applied to each node. kube-scheduler gives no
/// notice and may break disruption budgets. So victims with a notice time stay. If a budget would
/// be broken, victims stay unless the policy permits that.
///
/// An object serves one request: it caches the verdicts of the policy.
public final class UnmanagedPreemptor {
  private final State state;
  private final Policies policies;
  private final GangProfile profile;
  private final VictimEligibility eligibility;
  private final boolean asks;
  private final Map<GangId, List<VictimCandidate>> heard = new TreeMap<>();

  /// Creates the preemptor for a pod with this profile.
  public UnmanagedPreemptor(State state, Policies policies, GangProfile profile) {
    this.state = state.with(state.preemptions().at(state.cluster().now(), state.cluster()));
    this.policies = policies;
    this.profile = profile;
    this.eligibility =
        new VictimEligibility(
            this.state, policies, profile, new GangProfiles(state, policies), false);
    this.asks = policies.preemption().mode() == Mode.ENFORCE && hasWaited();
  }

  /// True if the policy is asked at all. Otherwise no pod of a gang may be evicted, except pods
  /// that are already leaving.
  public boolean asks() {
    return asks;
  }

  /// True if kube-scheduler may evict all of these pods of gangs.
  ///
  /// The pods must be whole gangs, or spare members of elastic ones, that may leave for this pod at
  /// once. Unless the policy is enforced, no gang may be preempted. Pods that are already leaving
  /// do not count.
  ///
  /// @param pods members of gangs, all on one node
  /// @param breaksBudgets true if that breaks disruption budgets
  public boolean mayStop(Collection<Member> pods, boolean breaksBudgets) {
    Map<GangId, Set<MemberId>> leaving = new TreeMap<>();
    for (Member pod : pods) {
      if (pod.isBound() || pod.wantsNode()) {
        leaving.computeIfAbsent(pod.gang(), _ -> new TreeSet<>()).add(pod.id());
      }
    }
    if (leaving.isEmpty()) {
      return true;
    }
    if (!asks) {
      return false;
    }
    List<VictimCandidate> victims = new ArrayList<>();
    leaving.forEach((gang, members) -> victim(gang, members).ifPresent(victims::add));
    return victims.size() == leaving.size()
        && eligibility.shortfall(victims).isPresent()
        && isWithinLimits(victims)
        && (!breaksBudgets || victims.stream().allMatch(victim -> victim.ruling().overBudgets()));
  }

  private boolean hasWaited() {
    Optional<Duration> delay = policies.preemption().delay(profile);
    return delay.filter(least -> profile.waited().compareTo(least) >= 0).isPresent();
  }

  /// Returns the gang or its spare members, if exactly these members may leave at once.
  private Optional<VictimCandidate> victim(GangId gang, Set<MemberId> leaving) {
    for (VictimCandidate candidate : heard.computeIfAbsent(gang, eligibility::candidates)) {
      boolean breaksNothing = candidate.spare() || candidate.members().size() == leaving.size();
      if (breaksNothing
          && candidate.ruling().notice().isZero()
          && candidate.members().containsAll(leaving)) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  private boolean isWithinLimits(List<VictimCandidate> victims) {
    PreemptionLimits limits = policies.preemption().limits();
    int gpus = victims.stream().mapToInt(victim -> victim.profile().gpus()).sum();
    int room = state.preemptions().left(limits.perHour(), victims, state.cluster().now());
    return victims.size() <= Math.min(limits.victims(), room) && gpus <= limits.victimGpus();
  }
}
