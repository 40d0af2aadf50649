package dev.muster.server.kube.watch;

import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangId;
import dev.muster.server.kube.codec.UncountedPod;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The objects of each gang that do not count, and which of them were passed on.
final class DiscrepancyTracker {
  /// The key of the PodGroup among the objects that declare a gang. It precedes those of pods.
  private static final String POD_GROUP = "";

  private final Map<GangId, SortedMap<String, String>> mistakes = new HashMap<>();
  private final Map<GangId, SortedMap<String, UncountedPod>> pods = new HashMap<>();
  private final Map<String, UncountedPod> podByKey = new HashMap<>();
  private final Map<GangId, Discrepancies> told = new HashMap<>();

  /// Records the mistakes of the gang's PodGroup, if it is invalid.
  void podGroup(GangId gang, Optional<String> found) {
    declaration(gang, POD_GROUP, found);
  }

  /// Records the mistakes in the gang data that this object states, if they are invalid.
  void declaration(GangId gang, String key, Optional<String> found) {
    replace(mistakes, gang, key, found);
  }

  /// Records that the pod with this key names a gang without counting, or that it does not.
  ///
  /// @return the gang that it named before
  Optional<GangId> pod(String key, Optional<UncountedPod> found) {
    Optional<UncountedPod> before =
        Optional.ofNullable(
            found.isPresent() ? podByKey.put(key, found.get()) : podByKey.remove(key));
    before.ifPresent(pod -> replace(pods, pod.gang(), key, Optional.empty()));
    found.ifPresent(pod -> replace(pods, pod.gang(), key, found));
    return before.map(UncountedPod::gang);
  }

  private static <T> void replace(
      Map<GangId, SortedMap<String, T>> all, GangId gang, String key, Optional<T> found) {
    if (found.isPresent()) {
      all.computeIfAbsent(gang, _ -> new TreeMap<>()).put(key, found.get());
    } else if (all.containsKey(gang)) {
      all.get(gang).remove(key);
      all.computeIfPresent(gang, (_, left) -> left.isEmpty() ? null : left);
    }
  }

  /// Returns the discrepancies of the gang if they differ from those returned last.
  ///
  /// @param declared whether the gang has a valid declaration; without any, its pods tell enough
  Optional<Discrepancies> changed(GangId gang, boolean declared) {
    Discrepancies now =
        declared || mistakes.containsKey(gang) ? discrepancies(gang) : Discrepancies.NONE;
    Discrepancies before = now.equals(Discrepancies.NONE) ? told.remove(gang) : told.put(gang, now);
    return now.equals(before == null ? Discrepancies.NONE : before)
        ? Optional.empty()
        : Optional.of(now);
  }

  private Discrepancies discrepancies(GangId gang) {
    SortedMap<String, Integer> schedulers = new TreeMap<>();
    Optional<String> invalidPod = Optional.empty();
    int invalid = 0;
    for (UncountedPod pod : pods.getOrDefault(gang, new TreeMap<>()).values()) {
      if (pod.mistakes().isPresent()) {
        invalid++;
        invalidPod = invalidPod.or(pod::mistakes);
      } else {
        schedulers.merge(pod.scheduler(), 1, Integer::sum);
      }
    }
    SortedMap<String, String> said = mistakes.getOrDefault(gang, new TreeMap<>());
    Optional<String> declaration =
        said.isEmpty() ? Optional.empty() : Optional.of(said.firstEntry().getValue());
    return new Discrepancies(declaration, schedulers, invalid, invalidPod);
  }
}
