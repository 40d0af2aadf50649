package dev.muster.core.cycle;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.util.List;
import java.util.Optional;

/// A refusal reason says why a gang without a place has none. The first that applies is given:
///
/// 1. It would find none alone on the cluster ([VacantSearch]).
/// 2. It would find one alone, but only on GPU models that its queue denies now.
/// 3. It would fit, but only in capacity held for other gangs.
/// 4. Too little is free.
///
/// @param after the state with the answers
/// @param why the reason
record RefusalReason(State after, Explanation why) {
  /// The question.
  ///
  /// @param wanting members that need a place, in rank order
  record Asked(Gang gang, List<Member> wanting, Policies policies) {}

  /// Returns the reason of a failed search.
  ///
  /// @param usable the capacity in which it was
  /// @param lost its result
  static RefusalReason of(
      State state, VisibleCapacity usable, Asked asked, SearchResult.NotFound lost) {
    VacantSearch alone = VacantSearch.of(state, asked.gang, asked.wanting);
    if (alone.never().isPresent()) {
      return new RefusalReason(alone.after(), GangAttempt.why(state, lost, alone.never()));
    }
    Cluster image = usable.image();
    Gang permitted = asked.policies.quota().narrowed(image, asked.gang);
    boolean isLimited = !permitted.constraints().gpus().equals(asked.gang.constraints().gpus());
    VacantSearch inQuota =
        isLimited ? VacantSearch.of(alone.after(), permitted, asked.wanting) : alone;
    Optional<Explanation> denied =
        inQuota.never().isPresent() ? denied(state, image, asked) : Optional.empty();
    Explanation why =
        denied
            .or(() -> withoutHolds(state, usable, asked))
            .orElseGet(() -> GangAttempt.why(state, lost));
    return new RefusalReason(inQuota.after(), why);
  }

  private static Optional<Explanation> denied(State state, Cluster image, Asked asked) {
    List<Member> needed = PendingMembers.needed(state.cluster(), asked.gang);
    return GangAttempt.limited(image, asked.gang, needed, asked.policies)
        .map(limit -> GangAttempt.why(state, limit));
  }

  /// Returns the hold that alone keeps the gang from starting, as a reason.
  ///
  /// If the gang would not fit without holds either, the reason counts held capacity as free. So
  /// its numbers are those that anyone can count on the nodes.
  private static Optional<Explanation> withoutHolds(
      State state, VisibleCapacity usable, Asked asked) {
    Optional<Cluster> image = usable.withoutHolds();
    if (image.isEmpty()) {
      return Optional.empty();
    }
    return switch (GangAttempt.search(image.get(), asked.gang, asked.wanting, asked.policies)) {
      case SearchResult.Found found ->
          usable
              .holder(found.placement())
              .map(hold -> new Veto.WouldDelay(hold.gang(), hold.promised()))
              .map(veto -> Explanation.of(state.cluster(), veto));
      case SearchResult.NotFound none -> Optional.of(GangAttempt.why(state, none));
    };
  }
}
