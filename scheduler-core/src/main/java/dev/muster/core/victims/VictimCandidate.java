package dev.muster.core.victims;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A running gang that may be stopped, or the spare members that an elastic gang can give up.
///
/// @param profile facts that the policy saw: the gang with these members
/// @param members members that would leave: all bound members, or the spare ones
/// @param ruling verdict of the policy
/// @param cost cost of stopping these members
/// @param spare true if the gang keeps running without these members
public record VictimCandidate(
    GangProfile profile,
    List<MemberId> members,
    PolicyVerdict.Allowed ruling,
    VictimCost cost,
    boolean spare) {
  public VictimCandidate {
    members = List.copyOf(members);
  }

  /// Returns this candidate reduced to fewer members that leave.
  VictimCandidate only(List<MemberId> fewer, Gang of) {
    int gpus = 0;
    Set<NodeId> nodes = new TreeSet<>();
    for (MemberId pod : fewer) {
      Member member = of.members().get(pod).orElseThrow();
      gpus += member.request().gpus();
      member.node().ifPresent(nodes::add);
    }
    GangProfile giving = profile.giving(fewer.size(), gpus, nodes.size());
    return new VictimCandidate(giving, fewer, ruling, cost, spare);
  }

  /// Returns the id of the gang.
  public GangId gang() {
    return profile.gang();
  }

  /// Returns the place of this candidate in the order of victims.
  ///
  /// Whole gangs count first. Among sets with equal whole gangs, the same terms of the policy
  /// decide which spare members leave.
  VictimCost order() {
    List<CostTerm> terms = new ArrayList<>(cost.terms());
    List<Long> amounts = new ArrayList<>(cost.amounts());
    List<Long> none = cost.terms().stream().map(_ -> 0L).toList();
    terms.addAll(cost.terms());
    amounts.addAll(spare ? ruling.price() : none);
    return new VictimCost(terms, amounts);
  }

  /// True if this bound pod of the gang would leave.
  boolean has(MemberId pod) {
    return !spare || members.contains(pod);
  }

  /// Returns the victim as it is recorded. Spare members lose no work.
  public Victim victim() {
    return new Victim(
        gang(), SortedKeys.of(members), ruling.rule(), spare ? 0 : profile.lostWork());
  }
}
