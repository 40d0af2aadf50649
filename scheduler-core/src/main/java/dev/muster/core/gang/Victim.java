package dev.muster.core.gang;

import dev.muster.core.collect.SortedKeys;

/// A gang that is stopped for another, or an elastic one that gives members back.
///
/// @param gang the gang
/// @param members its members that leave
/// @param rule the rule of the policy that allowed it
/// @param lostWork GPU-seconds of work that are lost
public record Victim(GangId gang, SortedKeys<MemberId> members, String rule, long lostWork) {}
