package dev.muster.core.cluster;

import java.util.EnumSet;
import java.util.Set;

/// The state of a gang between its first and its last object.
///
/// The phase is computed from the facts and never stored, so it survives a restart.
///
/// ```
/// GATHERING ⇄ PENDING → RESERVED → BOUND → LEAVING → GONE
/// ```
public enum GangPhase {
  /// Its PodGroup or some of its members are still missing.
  GATHERING,
  /// Enough members are present and wait to be scheduled.
  PENDING,
  /// Every member that starts has a promise, and not all of them are bound.
  RESERVED,
  /// Its members run, or some have ended and the rest still run.
  BOUND,
  /// All remaining members terminate or have ended, or had when they were deleted.
  LEAVING,
  /// Neither object nor members exist.
  GONE;

  /// Returns the phases that may follow.
  ///
  /// Facts may lead to any phase, since other clients delete, bind and create pods. But only Muster
  /// makes reservations. It makes one only for a gang that waits as a whole ([#PENDING]), or for a
  /// gang that runs and lacks a member ([#BOUND]).
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
