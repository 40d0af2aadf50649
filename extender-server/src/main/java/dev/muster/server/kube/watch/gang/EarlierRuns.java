package dev.muster.server.kube.watch.gang;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.kube.codec.PodFact;
import java.util.HashMap;
import java.util.Map;

/// Finds the pods that are left of an earlier run of their gang. A Job that is created again, for
/// example by a CronJob, often names the PodGroup of its predecessor, whose pods still exist.
///
/// **Goals.** Pods of an earlier run must not count for this run, or it would start in parts. The
/// order in which pods are seen does not matter. The cost of one pod does not grow with the number
/// of runs or old pods, except that it may pay for earlier events: an owner may leave thousands of
/// pods.
///
/// **Algorithm.** Pods of one maker belong to one run. A run is past when all of its pods are
/// finished and another maker created a pod later than that. So makers of one run, such as a
/// launcher and its workers, stay together: their pods existed at one time. [GangRuns] keeps the
/// runs of one gang in order.
public final class EarlierRuns {
  private final Map<GangId, GangRuns> gangs = new HashMap<>();

  /// Records the current state of the pod with this key.
  public void put(String key, PodFact.Ours pod) {
    GangId gang = pod.member().gang();
    if (gang.origin() != Origin.POD) { // a lone pod has a single run
      gangs.computeIfAbsent(gang, _ -> new GangRuns()).put(key, pod);
    }
  }

  /// Removes the pod.
  ///
  /// @return true if it was told as a pod of an earlier run
  public boolean remove(String key, PodFact.Ours pod) {
    GangId gang = pod.member().gang();
    GangRuns runs = gangs.get(gang);
    boolean wasPast = runs != null && runs.remove(key);
    if (runs != null && runs.isEmpty()) {
      gangs.remove(gang);
    }
    return wasPast;
  }

  /// True if the pod was told as a pod of an earlier run.
  public boolean isPast(GangId gang, String key) {
    GangRuns runs = gangs.get(gang);
    return runs != null && runs.isPast(key);
  }

  /// Returns the pods of the gang that changed sides since the last call.
  public GangRuns.Changes changes(GangId gang) {
    GangRuns runs = gangs.get(gang);
    return runs == null ? GangRuns.Changes.none() : runs.changes();
  }
}
