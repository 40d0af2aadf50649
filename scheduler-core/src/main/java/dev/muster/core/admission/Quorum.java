package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Lets a gang try once its object and enough of its members are here.
///
/// @param patience how long it may lack members before that is called a failure, unless it says so
///   itself; absent: for ever
public record Quorum(Optional<Duration> patience) {
  /// Why the gang may not try now; empty when it may.
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
            ? new Veto.GatheringTimedOut(present, spec.minCount(), limit.get())
            : new Veto.TooFewMembers(present, spec.minCount(), gang.memberCounts().heldByOthers()));
  }

  /// Why nothing says what the gang wishes for: a lone pod says it itself, if it can be read.
  public static Veto undeclared(Gang gang) {
    return gang.id().origin() == Origin.POD
        ? new Veto.Unreadable()
        : new Veto.NoPodGroup(gang.members().size());
  }

  /// Whether one of the gang's members has been waiting for the missing ones for too long.
  private static boolean isOverdue(Instant now, Gang gang, Duration limit) {
    return gang.members().any(m -> m.wantsNode() && now.isAfter(m.createdAt().plus(limit)));
  }
}
