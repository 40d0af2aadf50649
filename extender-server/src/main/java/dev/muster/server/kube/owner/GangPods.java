package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.OwnerPods.Noted;
import dev.muster.server.kube.owner.OwnerPods.Tally;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The numbers of pods of each gang: those it needs, and those that have started.
///
/// The pods of a gang have as many claims as its owner has roles, or as labels of pods state. So
/// the sums of a gang are kept, and one pod costs the same however many claims there are.
///
/// Not safe for use by several threads.
final class GangPods {
  /// The sum of one claim, and the gang that it is a part of.
  private record Counted(GangId gang, Tally sum) {}

  private final KnownOwners owners;
  private final OwnerPods pods;
  private final EndedPods ended;
  private final Map<Claim, Counted> byClaim = new HashMap<>();
  private final Map<GangId, Tally> byGang = new HashMap<>();

  /// @param owners the owners
  /// @param pods the pods that state an owner
  /// @param ended the pods that have ended for good
  GangPods(KnownOwners owners, OwnerPods pods, EndedPods ended) {
    this.owners = owners;
    this.pods = pods;
    this.ended = ended;
  }

  /// Records the claim of the pod with this key, or that it has none.
  ///
  /// @return see [OwnerPods#note]
  Set<Claim> note(String key, Optional<Noted> pod) {
    Optional<Claim> before = pods.claim(key);
    Set<Claim> changed = pods.note(key, pod);
    before.ifPresent(this::count);
    pod.map(Noted::claim).ifPresent(this::count);
    return changed;
  }

  /// Counts the pods with this claim again. To be called for all claims of an owner that changed.
  ///
  /// @return the gang of these pods; empty if they are in none or their owner was not seen
  Optional<GangId> count(Claim claim) {
    Optional<GangId> gang = owners.of(claim).flatMap(owner -> owner.facts().gang(claim));
    Optional<Counted> now =
        gang.filter(_ -> pods.hasLive(claim)).map(found -> new Counted(found, pods.tally(claim)));
    add(now.isPresent() ? byClaim.put(claim, now.get()) : byClaim.remove(claim), -1);
    add(now.orElse(null), 1);
    return gang;
  }

  private void add(@Nullable Counted counted, int times) {
    if (counted != null) {
      Tally sum = sum(counted.gang).plus(counted.sum, times);
      if (sum.live() == 0) {
        byGang.remove(counted.gang);
      } else {
        byGang.put(counted.gang, sum);
      }
    }
  }

  private Tally sum(GangId gang) {
    return byGang.getOrDefault(gang, Tally.NONE);
  }

  /// True if the gang has a pod that is not being deleted.
  boolean hasLive(GangId gang) {
    return byGang.containsKey(gang);
  }

  /// Returns the number of pods without which the gang does not start. Pods that have ended for
  /// good do not count, once they are deleted: their controller does not create them again.
  OptionalInt minimum(GangId gang, Claim claim, OwnerFacts facts) {
    int over = facts.over(facts.part(claim.role()), ended, claim.owner());
    int shown = sum(gang).succeeded();
    OptionalInt all = facts.minimum(claim.role());
    return all.isEmpty()
        ? all
        : OptionalInt.of(Math.max(1, all.getAsInt() - Math.max(0, over - shown)));
  }

  /// Returns the number of pods of the gang that have started.
  ///
  /// It is 0 if none of those that run may use GPUs: a launcher without GPUs may run before its
  /// gang starts.
  int started(GangId gang) {
    Tally sum = sum(gang);
    return sum.onGpus() > 0 ? sum.started() : 0;
  }
}
