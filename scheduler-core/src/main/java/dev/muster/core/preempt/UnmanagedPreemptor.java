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

/// A pod that is none of ours, for which kube-scheduler would stop others on one node. The policy
/// judges it as it judges gangs. Its limits hold for each node, and since kube-scheduler gives no
/// notice and may break disruption budgets, whoever is to get a notice stays, and so does whoever
/// stands beside a broken budget that the policy honours.
///
/// It is for one request: it remembers what the policy said of a gang.
public final class UnmanagedPreemptor {
  private final State state;
  private final Policies policies;
  private final GangProfile profile;
  private final VictimEligibility eligibility;
  private final boolean asks;
  private final Map<GangId, List<VictimCandidate>> heard = new TreeMap<>();

  /// A pod that asks for room, as the policy sees it.
  public UnmanagedPreemptor(State state, Policies policies, GangProfile profile) {
    this.state = state.with(state.preemptions().at(state.cluster().now(), state.cluster()));
    this.policies = policies;
    this.profile = profile;
    this.eligibility = new VictimEligibility(this.state, policies, profile, new GangProfiles(state, policies));
    this.asks = policies.preemption().mode() == Mode.ENFORCE && hasWaited();
  }

  /// Whether the policy is asked at all. If not, none of our pods may be stopped, except those that
  /// are on their way out anyway.
  public boolean asks() {
    return asks;
  }

  /// Whether kube-scheduler may stop all of these pods of ours: whole gangs, or spare members of
  /// elastic ones, that may leave for this pod and may do so now. Unless the policy is in force,
  /// nobody may be stopped. Pods that are on their way out anyway do not count.
  ///
  /// @param pods members of gangs, all on one node
  /// @param breaksBudgets whether that breaks disruption budgets
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
        && isWithinLimits(victims)
        && (!breaksBudgets || victims.stream().allMatch(victim -> victim.ruling().overBudgets()));
  }

  private boolean hasWaited() {
    Optional<Duration> delay = policies.preemption().delay(profile);
    return delay.filter(least -> profile.waited().compareTo(least) >= 0).isPresent();
  }

  /// The gang, or its spare members, if exactly these members may leave at once.
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
