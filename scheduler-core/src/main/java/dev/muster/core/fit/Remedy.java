package dev.muster.core.fit;

/// What would change a veto's mind. The one value decides whether preemption is tried, which events
/// wake the gang, in which map the extender lists the node, and what the researcher reads.
public enum Remedy {
  /// Only another specification, or another node.
  NEVER,
  /// Somebody else's pods leaving, by themselves or by eviction.
  EVICTION,
  /// The end of a reservation or of a wait that is already in motion; evicting would not help.
  RELEASE,
  /// More members of the gang itself.
  MEMBERS,

  /// Gangs of the same queue, or of a queue that took its due back, leaving.
  QUOTA
}
