package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The gate that admits a gang once its object and enough of its members exist.
///
/// @param patience time for which a gang may lack members before that counts as a failure, unless
///   its object states one; absent for no limit
public record Quorum(Optional<Duration> patience) {
  /// Returns the reason why the gang must not be tried now; empty if it may.
  public Optional<Veto> veto(Cluster cluster, Gang gang) {
    if (gang.spec().isEmpty()) {
      return Optional.of(undeclared(gang));
    }
    if (gang.isComplete()) {
      return Optional.empty();
    }
    GangSpec spec = gang.spec().get();
    int present = gang.presentCount();
    Optional<Duration> limit = spec.patience().or(() -> patience);
    return Optional.of(
        limit.isPresent() && isOverdue(cluster.now(), gang, limit.get())
            ? new Veto.GatheringTimedOut(present, gang.wholeCount(), limit.get())
            : new Veto.TooFewMembers(
                present, gang.wholeCount(), gang.memberCounts().heldByOthers()));
  }

  /// Returns the reason why the gang has no declaration.
  ///
  /// Its object is invalid. Or it is missing: a single pod declares itself, so only other gangs
  /// lack their PodGroup.
  public static Veto undeclared(Gang gang) {
    return gang.id().origin() == Origin.POD || gang.invalidity().isPresent()
        ? new Veto.Unreadable(gang.invalidity())
        : new Veto.NoPodGroup(gang.members().size());
  }

  /// True if one of the gang's members has waited for the missing ones for longer than the limit.
  private static boolean isOverdue(Instant now, Gang gang, Duration limit) {
    return gang.members().any(m -> m.wantsNode() && now.isAfter(m.createdAt().plus(limit)));
  }
}
