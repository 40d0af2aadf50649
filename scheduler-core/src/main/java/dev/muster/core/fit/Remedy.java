package dev.muster.core.fit;

/// The change that can lift a veto. This one value decides if preemption is tried, which events
/// wake the gang, in which map the extender lists the node, and the text for the researcher.
public enum Remedy {
  /// Only another specification, or another node.
  NEVER,
  /// The end or eviction of pods of other gangs.
  EVICTION,
  /// The end of a reservation, or of a wait that is already in progress. Eviction would not help.
  RELEASE,
  /// More members of the gang itself.
  MEMBERS,

  /// The end of a time that already runs. Nothing else helps, so no other gang is preempted.
  TIME,

  /// The end of gangs of its own queue, or of a queue that reclaimed its guarantee.
  QUOTA
}
