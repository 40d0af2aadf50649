package dev.muster.server.kube.start;

import dev.muster.core.gang.GangId;
import dev.muster.core.state.State;

/// Decides which start switches are no longer wanted.
///
/// Goals: kube-scheduler does not try pods that have no promise. It tries the pods of an existing
/// PodGroup again and again, and ignores what happens in the cluster meanwhile.
///
/// Algorithm: a switch is turned off while its gang has pods without node, and no promise. Examples
/// are a released gang, a gang whose PodGroup was deleted, and a PodGroup that is used again. The
/// switch of a gang without waiting pods stays: it harms nobody, and each write costs.
public final class SwitchUse {
  private SwitchUse() {}

  /// True if the switch should be off. It is never, before all objects were seen: until then,
  /// promises of a half started gang are unknown.
  public static boolean isSpent(SeenSwitch on, State state) {
    return state.cluster().synced()
        && on.gangs().stream().noneMatch(gang -> isPromised(gang, state))
        && on.gangs().stream().anyMatch(gang -> state.cluster().gang(gang).wantingCount() > 0);
  }

  private static boolean isPromised(GangId gang, State state) {
    return state
        .cluster()
        .reservations()
        .get(gang)
        .filter(held -> !held.promises().isEmpty())
        .isPresent();
  }
}
