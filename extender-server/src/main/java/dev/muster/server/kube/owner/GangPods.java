package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/// The numbers of pods of each gang: those it needs, and those that have started.
///
/// @param owners the owners
/// @param pods the pods that state an owner
/// @param ended the pods that have ended for good
record GangPods(KnownOwners owners, OwnerPods pods, EndedPods ended) {
  private Stream<Claim> claims(GangId gang, Claim claim) {
    return pods.claims(claim.gang()).stream()
        .filter(each -> owners.gang(each).equals(Optional.of(gang)));
  }

  /// True if the gang has a pod that is not being deleted.
  boolean hasLive(GangId gang, Claim claim) {
    return claims(gang, claim).findAny().isPresent();
  }

  /// Returns the number of pods without which the gang does not start. Pods that have ended for
  /// good do not count, once they are deleted: their controller does not create them again.
  OptionalInt minimum(GangId gang, Claim claim, OwnerFacts facts) {
    int over = facts.over(facts.part(claim.role()), ended, claim.owner());
    int shown = claims(gang, claim).mapToInt(pods::succeeded).sum();
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
