package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// The numbers of pods of each gang: those it needs, and those that have started.
///
/// The pods of a gang have as many claims as its owner has roles, or as labels of pods state. So
/// the sums of a gang are kept, and one pod costs the same however many claims there are.
///
/// Not safe for use by several threads.
final class GangPods {
  /// The live pods of some claims, or of one.
  ///
  /// @param claims number of claims
  /// @param succeeded number of pods that have succeeded
  private record Sum(int claims, int succeeded) {
    static final Sum NONE = new Sum(0, 0);

    Sum plus(Sum other, int times) {
      return new Sum(claims + times * other.claims, succeeded + times * other.succeeded);
    }
  }

  /// The sum of one claim, and the gang that it is a part of.
  private record Counted(GangId gang, Sum sum) {}

  private final KnownOwners owners;
  private final OwnerPods pods;
  private final EndedPods ended;
  private final Map<Claim, Counted> byClaim = new HashMap<>();
  private final Map<GangId, Sum> byGang = new HashMap<>();

  /// @param owners the owners
  /// @param pods the pods that state an owner
  /// @param ended the pods that have ended for good
  GangPods(KnownOwners owners, OwnerPods pods, EndedPods ended) {
    this.owners = owners;
    this.pods = pods;
    this.ended = ended;
  }

  /// Counts the pods with this claim again. To be called for each claim that [OwnerPods#note]
  /// returns, and for all claims of an owner that changed.
  ///
  /// @return the gang of these pods; empty if they are in none or their owner was not seen
  Optional<GangId> count(Claim claim) {
    Optional<GangId> gang = owners.of(claim).flatMap(owner -> owner.facts().gang(claim));
    Optional<Counted> now =
        gang.filter(_ -> pods.hasLive(claim))
            .map(found -> new Counted(found, new Sum(1, pods.succeeded(claim))));
    add(now.isPresent() ? byClaim.put(claim, now.get()) : byClaim.remove(claim), -1);
    add(now.orElse(null), 1);
    return gang;
  }

  private void add(@Nullable Counted counted, int times) {
    if (counted != null) {
      Sum sum = byGang.getOrDefault(counted.gang, Sum.NONE).plus(counted.sum, times);
      if (sum.equals(Sum.NONE)) {
        byGang.remove(counted.gang);
      } else {
        byGang.put(counted.gang, sum);
      }
    }
  }

  /// True if the gang has a pod that is not being deleted.
  boolean hasLive(GangId gang) {
    return byGang.containsKey(gang);
  }

  /// Returns the number of pods without which the gang does not start. Pods that have ended for
  /// good do not count, once they are deleted: their controller does not create them again.
  OptionalInt minimum(GangId gang, Claim claim, OwnerFacts facts) {
    int over = facts.over(facts.part(claim.role()), ended, claim.owner());
    int shown = byGang.getOrDefault(gang, Sum.NONE).succeeded;
    OptionalInt all = facts.minimum(claim.role());
    return all.isEmpty()
        ? all
        : OptionalInt.of(Math.max(1, all.getAsInt() - Math.max(0, over - shown)));
  }

  /// Returns the number of pods of the gang that have started.
  int started(GangId gang, Claim claim) {
    return pods.started(claim.owner(), each -> owners.gang(each).equals(Optional.of(gang)));
  }
}
