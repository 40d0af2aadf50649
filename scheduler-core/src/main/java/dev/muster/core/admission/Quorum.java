package dev.muster.core.admission;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/// The gate that admits a gang once its object and enough of its members exist.
///
/// @param patience time for which a gang may lack members before that counts as a failure, unless
///   its object states one; absent for no limit
public record Quorum(Optional<Duration> patience) {
  /// The number of kinds of members that a gang may have. Each node is compared with each kind:
  /// with 32 kinds and 5,000 nodes, one attempt takes half a second. A launcher and its workers are
  /// two.
  private static final int KINDS = 32;

  /// The number of conditions of node selection that all these kinds may have together. Each node
  /// is compared with each of them: with 5,000 nodes, one attempt takes 0.2 s.
  private static final int CONDITIONS = 512;

  private static final String TOO_MANY_KINDS =
      "The waiting pods of the gang differ in requests, node selection or tolerations in more than %d ways; the limit is %d."
          .formatted(KINDS, KINDS);

  private static final String TOO_MANY_CONDITIONS =
      "The waiting pods of the gang have more than %d conditions of node selection; the limit is %d."
          .formatted(CONDITIONS, CONDITIONS);

  /// Returns the reason why the gang must not be tried now; empty if it may.
  public Optional<Veto> veto(Cluster cluster, Gang gang) {
    if (gang.spec().isEmpty()) {
      return Optional.of(undeclared(gang));
    }
    if (gang.isComplete()) {
      return excess(gang).map(text -> new Veto.Unreadable(Optional.of(text)));
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

  /// Returns why its waiting members ask for too much. The budget of its object limits a lone pod.
  @SuppressWarnings("ReferenceEquality") // members of a gang share equal requests
  private static Optional<String> excess(Gang gang) {
    if (gang.wantingCount() <= 1) {
      return Optional.empty();
    }
    Set<Request> kinds = new LinkedHashSet<>();
    Request last = null;
    int conditions = 0;
    for (Member member : gang.wanting()) {
      if (member.request() != last) {
        last = member.request();
        conditions += kinds.add(last) ? last.selection().conditions() : 0;
        if (kinds.size() > KINDS || conditions > CONDITIONS) {
          return Optional.of(kinds.size() > KINDS ? TOO_MANY_KINDS : TOO_MANY_CONDITIONS);
        }
      }
    }
    return Optional.empty();
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
    for (Member member : gang.wanting()) {
      if (now.isAfter(member.createdAt().plus(limit))) {
        return true;
      }
    }
    return false;
  }
}
