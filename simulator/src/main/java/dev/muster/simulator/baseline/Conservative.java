package dev.muster.simulator.baseline;

/// Conservative backfilling: every job that waits is promised a start, in order of age, and none
/// may delay one that came before it. At every event the promises are made anew from the first on,
/// so what ends early is used.
///
/// A job that only counted machines would start, but that its placement finds no place for, keeps
/// its promise and waits.
///
/// Source: Mu'alem, Feitelson: Utilization, Predictability, Workloads, and User Runtime Estimates
/// in Scheduling the IBM SP2 with Backfilling, IEEE TPDS 2001. Named, it is Batsim's.
final class Conservative implements Baseline {
  @Override
  public String kind(Work work) {
    return "";
  }

  @Override
  public void pass(Floor floor) {
    if (floor.line().size() == 0 || floor.machines().totalFree() == 0) {
      return;
    }
    Profile profile = Profile.of(floor);
    for (Work work : floor.line().all()) {
      Profile.Slot slot = profile.earliest(work);
      if (slot.start() == floor.now() && floor.start(work, slot.grant())) {
        Grant held = profile.seen(floor.held(work));
        profile.reserve(held, slot.start(), work.expectedEnd(floor.now()));
      } else {
        profile.reserve(slot.grant(), slot.start(), slot.end());
      }
    }
  }
}
