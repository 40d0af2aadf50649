package dev.muster.simulator.baseline;

/// EASY backfilling: first come, first served, but jobs behind the first may start if they do not
/// delay it.
///
/// The first job that has no place is promised the earliest time at which the expected ends leave
/// room for it (the shadow time). A later job starts now if it is expected to end by then, or if it
/// takes nothing that the first will need then. Expected is what the owner says, or the true run
/// time where nobody says anything.
///
/// Source: Lifka: The ANL/IBM SP Scheduling System, JSSPP 1995; Mu'alem, Feitelson: Utilization,
/// Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
/// Backfilling, IEEE TPDS 2001. Counted, it is theirs; named, it is Batsim's.
final class Easy implements Baseline {
  @Override
  public String kind(Work work) {
    return "";
  }

  @Override
  public void pass(Floor floor) {
    floor.line().pass(floor::start, true);
    if (floor.line().size() > 1 && floor.machines().totalFree() > 0) {
      new Backfill(floor).run();
    }
  }

  /// One look at those behind the first.
  private static final class Backfill {
    private final Floor floor;
    private final Profile profile;
    private final Work first;
    private final long shadow;
    private final int[] extra;

    Backfill(Floor floor) {
      this.floor = floor;
      this.profile = Profile.of(floor);
      this.first = floor.line().heads().getFirst();
      Profile.Slot promised = profile.earliest(first);
      this.shadow = promised.start();
      this.extra = profile.freeAt(shadow);
      change(promised.grant());
    }

    void run() {
      for (Work work : floor.line().all()) {
        if (work != first && work.ask.gpus() <= floor.machines().totalFree()) {
          consider(work);
        }
      }
    }

    private void consider(Work work) {
      if (floor.now() + floor.estimate(work) <= shadow) {
        if (floor.start(work) && work.expectedEnd(floor.now()) > shadow) {
          change(profile.seen(floor.held(work))); // it is slower where it runs
        }
        return;
      }
      Grant spare = profile.place(work.ask, least(profile.freeNow()));
      if (spare != null && floor.start(work, spare)) {
        change(profile.seen(floor.held(work)));
      }
    }

    private int[] least(int[] free) {
      for (int i = 0; i < free.length; i++) {
        free[i] = Math.min(free[i], extra[i]);
      }
      return free;
    }

    private void change(Grant taken) {
      for (int i = 0; i < taken.size(); i++) {
        extra[taken.node(i)] -= taken.gpus(i);
      }
    }
  }
}
