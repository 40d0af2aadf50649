package dev.muster.server.kube.record;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;

/// The facts by which records of gangs are checked.
public interface RecordFacts {
  /// True if this pod exists and is a member of the gang.
  boolean isMember(GangId gang, MemberId pod);

  /// True if the object of a victim names this preemptor.
  boolean isNotified(GangId victim, GangId by);
}
