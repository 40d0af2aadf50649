package dev.muster.core.victims;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Victim;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A running gang that may be stopped, or the members above its minimum that an elastic one can
/// give back.
///
/// @param subject what the policy saw: the gang with these members
/// @param members who would leave: all its members that are bound, or the spare ones
/// @param ruling what the policy says of it
/// @param price what that costs
/// @param spare whether the gang runs on without these members
public record VictimCandidate(
    GangProfile profile, List<MemberId> members, PolicyVerdict.Allowed ruling, VictimCost cost, boolean spare) {
  public VictimCandidate {
    members = List.copyOf(members);
  }

  /// The same with only these of its members leaving.
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

  /// The gang.
  public GangId gang() {
    return profile.gang();
  }

  /// Whether this bound pod of the gang would leave.
  boolean has(MemberId pod) {
    return !spare || members.contains(pod);
  }

  /// The same for the record. Members that are given back lose no work.
  public Victim victim() {
    return new Victim(
        gang(), SortedKeys.of(members), ruling.rule(), spare ? 0 : profile.lostWork());
  }
}
