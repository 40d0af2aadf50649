package dev.muster.server.kube.watch.gang;

import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangId;
import dev.muster.server.kube.codec.UncountedPod;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The objects of each gang that do not count, and which of them were passed on.
///
/// The cost of one object does not grow with the number of others: an owner may have thousands.
public final class DiscrepancyTracker {
  /// The key of the PodGroup among the objects that declare a gang. It precedes those of pods.
  private static final String POD_GROUP = "";

  /// Number of schedulers that are passed on, in order of name; a status names fewer.
  private static final int SCHEDULERS = 16;

  private final Map<GangId, SortedMap<String, String>> mistakes = new HashMap<>();
  private final Map<GangId, Uncounted> pods = new HashMap<>();
  private final Map<String, UncountedPod> podByKey = new HashMap<>();
  private final Map<GangId, Discrepancies> told = new HashMap<>();

  /// The pods of one gang that do not count.
  private static final class Uncounted {
    private final TreeMap<String, String> mistakesByPod = new TreeMap<>();
    private final TreeMap<String, Integer> schedulers = new TreeMap<>();

    void add(String key, UncountedPod pod) {
      pod.mistakes()
          .ifPresentOrElse(
              mistakes -> mistakesByPod.put(key, mistakes),
              () -> schedulers.merge(pod.scheduler(), 1, Integer::sum));
    }

    void remove(String key, UncountedPod pod) {
      if (pod.mistakes().isPresent()) {
        mistakesByPod.remove(key);
      } else {
        schedulers.computeIfPresent(
            pod.scheduler(), (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
      }
    }

    boolean isEmpty() {
      return mistakesByPod.isEmpty() && schedulers.isEmpty();
    }

    SortedMap<String, Integer> firstSchedulers() {
      SortedMap<String, Integer> first = new TreeMap<>();
      for (Map.Entry<String, Integer> each : schedulers.entrySet()) {
        if (first.size() == SCHEDULERS) {
          break;
        }
        first.put(each.getKey(), each.getValue());
      }
      return first;
    }

    Optional<String> firstMistakes() {
      return Optional.ofNullable(mistakesByPod.firstEntry()).map(Map.Entry::getValue);
    }
  }

  /// Records the mistakes of the gang's PodGroup, if it is invalid.
  public void podGroup(GangId gang, Optional<String> found) {
    declaration(gang, POD_GROUP, found);
  }

  /// Records the mistakes in the gang data that this object states, if they are invalid.
  public void declaration(GangId gang, String key, Optional<String> found) {
    if (found.isPresent()) {
      mistakes.computeIfAbsent(gang, _ -> new TreeMap<>()).put(key, found.get());
    } else if (mistakes.containsKey(gang)) {
      mistakes.get(gang).remove(key);
      mistakes.computeIfPresent(gang, (_, left) -> left.isEmpty() ? null : left);
    }
  }

  /// Records that the pod with this key names a gang without counting, or that it does not.
  ///
  /// @return the gang that it named before
  public Optional<GangId> pod(String key, Optional<UncountedPod> found) {
    Optional<UncountedPod> before =
        Optional.ofNullable(
            found.isPresent() ? podByKey.put(key, found.get()) : podByKey.remove(key));
    before.ifPresent(pod ->
        pods.computeIfPresent(
            pod.gang(),
            (_, others) -> {
              others.remove(key, pod);
              return others.isEmpty() ? null : others;
            }));
    found.ifPresent(pod -> pods.computeIfAbsent(pod.gang(), _ -> new Uncounted()).add(key, pod));
    return before.map(UncountedPod::gang);
  }

  /// Returns the discrepancies of the gang if they differ from those returned last.
  ///
  /// @param declared whether the gang has a valid declaration; without any, its pods tell enough
  public Optional<Discrepancies> changed(GangId gang, boolean declared) {
    Discrepancies now =
        declared || mistakes.containsKey(gang) ? discrepancies(gang) : Discrepancies.NONE;
    Discrepancies before = now.equals(Discrepancies.NONE) ? told.remove(gang) : told.put(gang, now);
    return now.equals(before == null ? Discrepancies.NONE : before)
        ? Optional.empty()
        : Optional.of(now);
  }

  private Discrepancies discrepancies(GangId gang) {
    Uncounted uncounted = pods.getOrDefault(gang, new Uncounted());
    SortedMap<String, String> said = mistakes.getOrDefault(gang, new TreeMap<>());
    Optional<String> declaration =
        said.isEmpty() ? Optional.empty() : Optional.of(said.firstEntry().getValue());
    return new Discrepancies(
        declaration,
        uncounted.firstSchedulers(),
        uncounted.mistakesByPod.size(),
        uncounted.firstMistakes());
  }
}
