package dev.muster.core.cluster;

import java.util.EnumSet;
import java.util.Set;

/// Where a gang stands. The phase is read off the facts, never stored, so a restart finds it again.
///
/// ```
/// GATHERING ⇄ PENDING → RESERVED → BOUND → LEAVING → GONE
/// ```
public enum GangPhase {
  /// Its PodGroup or some of its members are still missing.
  GATHERING,
  /// Enough members are here and wait for their turn.
  PENDING,
  /// Every member that starts has a node promised, and not all are bound.
  RESERVED,
  /// Its members run, or some have ended and the rest run on.
  BOUND,
  /// All members that are left are on their way out, or have ended.
  LEAVING,
  /// Nothing is left of it.
  GONE;

  /// The phases that may come next. The facts may take a gang anywhere, since pods can be deleted,
  /// bound or created behind our back; but a reservation is ours alone to make, and it is made only
  /// for a gang that waits whole ([#PENDING]) or that runs and lacks a member ([#BOUND]).
  public Set<GangPhase> next() {
    return switch (this) {
      case GATHERING -> EnumSet.of(PENDING, BOUND, LEAVING, GONE);
      case PENDING -> EnumSet.of(GATHERING, RESERVED, BOUND, LEAVING);
      case RESERVED -> EnumSet.of(GATHERING, PENDING, BOUND, LEAVING);
      case BOUND -> EnumSet.of(GATHERING, PENDING, RESERVED, LEAVING, GONE);
      case LEAVING -> EnumSet.of(GATHERING, PENDING, BOUND, GONE);
      case GONE -> EnumSet.of(GATHERING, BOUND, LEAVING);
    };
  }
}
