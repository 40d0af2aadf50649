package dev.muster.core.victims;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.placement.request.SearchResult;
import java.util.Collection;
import java.util.List;

/// A gang that asks for the room of others.
public interface Preemptor {
  /// The gang.
  Gang gang();

  /// Its members that must start, in rank order; at least one.
  List<Member> members();

  /// The cluster as far as the gang may use it, without the pods that are on their way out.
  Cluster image();

  /// Where its members would start in this image.
  SearchResult place(Cluster image);

  /// Whether its queue lets it take the place once the victims have left it, and wait again as
  /// their job controllers have it: what these ask for may be claimed then.
  boolean mayTake(PreemptionPlan plan);

  /// How many gangs may be stopped for it within this hour, these among them; negative when too
  /// many were or are to be.
  int left(Collection<VictimCandidate> victims);

  /// Who of this running gang may leave for it, and at what price: nobody, its spare members, all
  /// of it, or either. Spare members come first.
  List<VictimCandidate> candidates(GangId running);
}
