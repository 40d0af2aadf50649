package dev.muster.server.kube.watch;

import dev.muster.core.gang.MemberState;
import dev.muster.server.kube.codec.PodFact;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The runs of one gang, ended ones in order of their ends, with the newest creation of a pod.
///
/// A run is past if it ended before the newest creation. So when a pod comes or goes, only runs
/// that ended between the old and the new newest creation can change sides.
final class GangRuns {
  /// A time of a pod or run, ordered by time.
  private record Mark(Instant at, String of) implements Comparable<Mark> {
    private static final Comparator<Mark> ORDER =
        Comparator.comparing(Mark::at).thenComparing(Mark::of);

    @Override
    public int compareTo(Mark other) {
      return ORDER.compare(this, other);
    }
  }

  /// The pods of one maker.
  private static final class Run {
    private final String maker;
    private final Map<String, PodFact.Ours> pods = new TreeMap<>();
    private final TreeSet<Mark> ends = new TreeSet<>();
    private final TreeSet<Mark> creations = new TreeSet<>();
    private int lasting;
    private boolean toldPast;

    Run(String maker) {
      this.maker = maker;
    }

    void add(String key, PodFact.Ours pod) {
      pods.put(key, pod);
      creations.add(new Mark(pod.member().createdAt(), key));
      pod.stint().over().ifPresent(end -> ends.add(new Mark(end, key)));
      lasting += isLasting(pod) ? 1 : 0;
    }

    void remove(String key) {
      PodFact.Ours pod = pods.remove(key);
      if (pod != null) {
        creations.remove(new Mark(pod.member().createdAt(), key));
        pod.stint().over().ifPresent(end -> ends.remove(new Mark(end, key)));
        lasting -= isLasting(pod) ? 1 : 0;
      }
    }

    /// True if the pod runs, or its end is unknown. A pod that failed without an end never ran (the
    /// kubelet rejected it), so it does not count.
    private static boolean isLasting(PodFact.Ours pod) {
      boolean failed =
          pod.member().state() instanceof MemberState.Ended(boolean succeeded, _) && !succeeded;
      return pod.stint().over().isEmpty() && !failed;
    }

    /// Returns the end of the last pod; empty while a pod lasts.
    Optional<Mark> end() {
      return lasting > 0
          ? Optional.empty()
          : Optional.of(new Mark(ends.isEmpty() ? Instant.MIN : ends.last().at(), maker));
    }

    Mark newest() {
      return new Mark(creations.last().at(), maker);
    }
  }

  /// The pods that changed sides, by key.
  ///
  /// @param present pods that count again
  /// @param past pods that do not count any more
  record Changes(SortedMap<String, PodFact.Ours> present, SortedMap<String, PodFact.Ours> past) {}

  private final Map<String, Run> byMaker = new HashMap<>();
  private final Map<String, Run> byPod = new HashMap<>();
  private final TreeSet<Mark> ended = new TreeSet<>();
  private final TreeSet<Mark> newest = new TreeSet<>();
  private final Set<String> told = new HashSet<>();

  /// Runs that may have changed sides, and pods that came to a run, since the last call.
  private final Set<Run> doubtful = new LinkedHashSet<>();

  private final Set<String> touched = new LinkedHashSet<>();

  boolean isEmpty() {
    return byPod.isEmpty();
  }

  boolean isPast(String key) {
    return told.contains(key);
  }

  void put(String key, PodFact.Ours pod) {
    String maker = pod.stint().maker();
    Run before = byPod.get(key);
    if (before != null && !before.maker.equals(maker)) {
      change(before, () -> before.remove(key));
    }
    Run run = byMaker.computeIfAbsent(maker, Run::new);
    byPod.put(key, run);
    touched.add(key);
    change(
        run,
        () -> {
          run.remove(key);
          run.add(key, pod);
        });
  }

  /// Removes the pod. Returns true if it was told as past.
  boolean remove(String key) {
    Run run = byPod.remove(key);
    if (run != null) {
      change(run, () -> run.remove(key));
    }
    return told.remove(key);
  }

  private void change(Run run, Runnable pods) {
    Instant before = threshold();
    if (!run.pods.isEmpty()) {
      newest.remove(run.newest());
      run.end().ifPresent(ended::remove);
    }
    pods.run();
    if (run.pods.isEmpty()) {
      byMaker.remove(run.maker);
      doubtful.remove(run);
    } else {
      newest.add(run.newest());
      run.end().ifPresent(ended::add);
      doubtful.add(run);
    }
    Instant after = threshold();
    if (!before.equals(after)) {
      boolean later = before.isBefore(after);
      Mark from = new Mark(later ? before : after, "");
      Mark to = new Mark(later ? after : before, "");
      ended.subSet(from, true, to, false).forEach(end -> doubtful.add(run(end)));
    }
  }

  private Run run(Mark of) {
    @Nullable Run run = byMaker.get(of.of());
    if (run == null) {
      throw new IllegalStateException("No run of " + of);
    }
    return run;
  }

  /// Returns the time before which ended runs are past. A single run is never past.
  private Instant threshold() {
    return newest.size() > 1 ? newest.last().at() : Instant.MIN;
  }

  private boolean isPast(Run run) {
    return run.end().filter(end -> end.at().isBefore(threshold())).isPresent();
  }

  Changes changes() {
    for (Run run : doubtful) {
      boolean past = isPast(run);
      if (past != run.toldPast) {
        run.toldPast = past;
        touched.addAll(run.pods.keySet());
      }
    }
    Changes changes = new Changes(new TreeMap<>(), new TreeMap<>());
    for (String key : touched) {
      Run run = byPod.get(key);
      PodFact.Ours pod = run == null ? null : run.pods.get(key);
      if (run != null && pod != null && run.toldPast != told.contains(key)) {
        (run.toldPast ? changes.past() : changes.present()).put(key, pod);
      }
    }
    told.addAll(changes.past().keySet());
    told.removeAll(changes.present().keySet());
    doubtful.clear();
    touched.clear();
    return changes;
  }
}
