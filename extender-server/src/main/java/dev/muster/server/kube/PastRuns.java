package dev.muster.server.kube;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.MemberState;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which pods are left of an earlier run of their gang: a Job that is made anew, as a CronJob does
/// it, often names the PodGroup of the one before, whose pods are still there.
///
/// Goals: what an earlier run did is nothing to this one, or it would start in parts; whatever the
/// order in which pods are seen.
///
/// Algorithm: pods of one maker are of one run. A run is past when all of its pods are over and
/// another maker made one later than that. So parts of one run that have makers of their own, such
/// as a launcher and its workers, belong together: they were there at the same time.
final class PastRuns {
  /// The pods of each gang by maker, and by key.
  private final Map<GangId, Map<String, Map<String, PodFact.Ours>>> runs = new HashMap<>();

  /// The pod under this key stands like this.
  void put(String key, PodFact.Ours pod) {
    GangId gang = pod.member().gang();
    if (gang.origin() != Origin.POD) { // a gang of one has one run
      runs.computeIfAbsent(gang, _ -> new TreeMap<>())
          .computeIfAbsent(pod.stint().maker(), _ -> new TreeMap<>())
          .put(key, pod);
    }
  }

  void remove(String key, PodFact.Ours pod) {
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

  /// The pods of the gang's earlier runs, by key.
  SortedMap<String, PodFact.Ours> of(GangId gang) {
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

  /// When the last pod was over; empty while one is not, or does not say. One that failed without
  /// saying when never ran (the kubelet rejected it), so it did nothing that could count.
  private static Optional<Instant> over(Map<String, PodFact.Ours> run) {
    Instant last = Instant.MIN;
    for (PodFact.Ours pod : run.values()) {
      Optional<Instant> end = pod.stint().over();
      boolean failed =
          pod.member().state() instanceof MemberState.Ended(boolean succeeded) && !succeeded;
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
