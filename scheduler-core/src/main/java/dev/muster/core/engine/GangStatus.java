package dev.muster.core.engine;

import dev.muster.core.cluster.GangPhase;

/// What the outside sees of a gang: the counts of its pods and one reason.
///
/// @param phase where it stands
/// @param minCount members that must start together, 0 while unknown
/// @param present members that count towards the minimum
/// @param bound members bound to nodes
/// @param succeeded members that ended well
/// @param failed members that ended badly
/// @param reason a stable CamelCase token
/// @param message one sentence with numbers
public record GangStatus(
    GangPhase phase,
    int minCount,
    int present,
    int bound,
    int succeeded,
    int failed,
    String reason,
    String message) {
  /// Whether the other status says the same but for the wording of its message.
  public boolean sameButForWords(GangStatus other) {
    return new GangStatus(phase, minCount, present, bound, succeeded, failed, reason, other.message).equals(other);
  }
}
