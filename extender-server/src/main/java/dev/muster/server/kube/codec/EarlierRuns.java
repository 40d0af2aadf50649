package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.MemberState;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Finds the pods that are left of an earlier run of their gang. A Job that is created again, for
/// example by a CronJob, often names the PodGroup of its predecessor, whose pods still exist.
///
/// Goals: pods of an earlier run must not count for this run, or it would start in parts. The order
/// in which pods are seen does not matter.
///
/// Algorithm: pods of one maker belong to one run. A run is past when all of its pods are finished
/// and another maker created a pod later than that. So makers of one run, such as a launcher and
/// its workers, stay together: their pods existed at one time.
public final class EarlierRuns {
  /// Pods of each gang by maker, then by key.
  private final Map<GangId, Map<String, Map<String, PodFact.Ours>>> runs = new HashMap<>();

  /// Records the current state of the pod with this key.
  public void put(String key, PodFact.Ours pod) {
    GangId gang = pod.member().gang();
    if (gang.origin() != Origin.POD) { // a lone pod has a single run
      runs.computeIfAbsent(gang, _ -> new TreeMap<>())
          .computeIfAbsent(pod.stint().maker(), _ -> new TreeMap<>())
          .put(key, pod);
    }
  }

  public void remove(String key, PodFact.Ours pod) {
    runs.computeIfPresent(
        pod.member().gang(),
        (_, makers) -> {
          makers.computeIfPresent(
              pod.stint().maker(),
              (_, run) -> {
                run.remove(key);
                return run.isEmpty() ? null : run;
              });
          return makers.isEmpty() ? null : makers;
        });
  }

  /// Returns the pods of the gang's earlier runs, by key.
  public SortedMap<String, PodFact.Ours> of(GangId gang) {
    TreeMap<String, PodFact.Ours> past = new TreeMap<>();
    Map<String, Map<String, PodFact.Ours>> makers = runs.get(gang);
    if (makers != null && makers.size() > 1) {
      for (Map<String, PodFact.Ours> run : makers.values()) {
        over(run)
            .filter(end -> makers.values().stream().anyMatch(other -> isMadeAfter(other, end)))
            .ifPresent(_ -> past.putAll(run));
      }
    }
    return past;
  }

  /// Returns the end of the last pod; empty while a pod runs or its end is unknown. A pod that
  /// failed without an end never ran (the kubelet rejected it), so it does not count.
  private static Optional<Instant> over(Map<String, PodFact.Ours> run) {
    Instant last = Instant.MIN;
    for (PodFact.Ours pod : run.values()) {
      Optional<Instant> end = pod.stint().over();
      boolean failed =
          pod.member().state() instanceof MemberState.Ended(boolean succeeded, _) && !succeeded;
      if (end.isEmpty() && !failed) {
        return Optional.empty();
      }
      last = end.filter(last::isBefore).orElse(last);
    }
    return Optional.of(last);
  }

  private static boolean isMadeAfter(Map<String, PodFact.Ours> run, Instant end) {
    return run.values().stream().anyMatch(pod -> pod.member().createdAt().isAfter(end));
  }
}
