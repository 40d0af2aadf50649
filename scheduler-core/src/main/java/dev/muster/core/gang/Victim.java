package dev.muster.core.gang;

import dev.muster.core.collect.SortedKeys;

/// A gang that is preempted for another, or an elastic gang that gives members back.
///
/// @param gang the victim
/// @param members members that leave
/// @param rule the policy rule that allows it
/// @param lostWork lost work in GPU-seconds
public record Victim(GangId gang, SortedKeys<MemberId> members, String rule, long lostWork) {}
