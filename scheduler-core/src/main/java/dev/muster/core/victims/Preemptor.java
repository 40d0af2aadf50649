package dev.muster.core.victims;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.placement.request.SearchResult;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;

/// A gang that needs the capacity of other gangs.
public interface Preemptor {
  /// Returns the gang.
  Gang gang();

  /// Returns the members that must start, in rank order; at least one.
  List<Member> members();

  /// Returns the cluster as visible to the gang, without the pods that are already leaving.
  Cluster image();

  /// Searches a placement of its members in this image.
  SearchResult place(Cluster image);

  /// True if the quota of its queue allows the placement after the victims have left it.
  ///
  /// The members of the victims count as waiting again, as their job controllers recreate them, so
  /// the guarantees of their queues may claim the capacity.
  boolean mayTake(PreemptionPlan plan);

  /// Returns the number of gangs that may be stopped for it within this hour, these included. It is
  /// negative if too many were stopped, or are to be stopped, already.
  int left(Collection<VictimCandidate> victims);

  /// Returns the candidates of one running gang with their costs.
  ///
  /// They are none, its spare members, the whole gang, or both. Spare members come first.
  List<VictimCandidate> candidates(GangId running);

  /// Returns the candidates of all running gangs of its own queue.
  List<VictimCandidate> ownCandidates();

  /// Returns the shortages of quota on each of these GPU models; empty if no victims end them.
  Optional<List<QuotaShortage>> shortages(SortedSet<String> models);

  /// Returns the GPUs by which queues of victims fall below their guarantees; empty if these
  /// victims may not leave together.
  OptionalInt shortfall(Collection<VictimCandidate> victims);
}
