package dev.muster.server.kube.watch.gang;

import dev.muster.core.gang.MemberState;
import dev.muster.server.kube.codec.PodFact;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The runs of one gang, in order of their ends, with the newest creation of a pod.
///
/// A run is past if it ended before the newest creation. Each pod is told as counting or as past.
///
/// **Cost.** A pod that comes and goes could move thousands of others each time. So each event
/// earns one credit, and each pod that counts again costs one. A run that costs more than the
/// credit stays past until later events have paid for it. Pods become past at once, since the next
/// run must not start with them.
public final class GangRuns {
  /// A time of a run, ordered by time.
  private record Mark(Instant at, String maker) implements Comparable<Mark> {
    private static final Comparator<Mark> ORDER =
        Comparator.comparing(Mark::at).thenComparing(Mark::maker);

    @Override
    public int compareTo(Mark other) {
      return ORDER.compare(this, other);
    }
  }

  /// The pods of one maker.
  private static final class Run {
    private final String maker;

    /// Pods that were told as counting, and new ones.
    private final TreeMap<String, PodFact.Ours> counting = new TreeMap<>();

    /// Pods that were told as past.
    private final TreeMap<String, PodFact.Ours> past = new TreeMap<>();

    private final TreeSet<Mark> ends = new TreeSet<>();
    private final TreeSet<Mark> creations = new TreeSet<>();
    private int lasting;

    Run(String maker) {
      this.maker = maker;
    }

    boolean isEmpty() {
      return counting.isEmpty() && past.isEmpty();
    }

    void add(String key, PodFact.Ours pod, boolean isPast) {
      (isPast ? past : counting).put(key, pod);
      creations.add(new Mark(pod.member().createdAt(), key));
      pod.stint().over().ifPresent(end -> ends.add(new Mark(end, key)));
      lasting += isLasting(pod) ? 1 : 0;
    }

    void remove(String key) {
      PodFact.Ours pod = past.containsKey(key) ? past.remove(key) : counting.remove(key);
      if (pod != null) {
        creations.remove(new Mark(pod.member().createdAt(), key));
        pod.stint().over().ifPresent(end -> ends.remove(new Mark(end, key)));
        lasting -= isLasting(pod) ? 1 : 0;
      }
    }

    void pass() {
      past.putAll(counting);
      counting.clear();
    }

    /// @param pods part of those that were told as past
    void recount(SortedMap<String, PodFact.Ours> pods) {
      counting.putAll(pods);
      pods.clear();
    }

    /// True if the pod runs, or its end is unknown. A pod that failed without an end never ran (the
    /// kubelet rejected it), so it does not count.
    private static boolean isLasting(PodFact.Ours pod) {
      boolean failed =
          pod.member().state() instanceof MemberState.Ended(boolean succeeded, _) && !succeeded;
      return pod.stint().over().isEmpty() && !failed;
    }

    /// Returns the end of the last pod; the end of time while a pod lasts.
    Mark end() {
      Instant last = ends.isEmpty() ? Instant.MIN : ends.last().at();
      return new Mark(lasting > 0 ? Instant.MAX : last, maker);
    }

    Mark newest() {
      return new Mark(creations.last().at(), maker);
    }
  }

  /// The pods that changed sides, by key.
  ///
  /// @param present pods that count again
  /// @param past pods that do not count any more
  public record Changes(
      SortedMap<String, PodFact.Ours> present, SortedMap<String, PodFact.Ours> past) {
    static Changes none() {
      return new Changes(new TreeMap<>(), new TreeMap<>());
    }
  }

  private final Map<String, Run> byMaker = new HashMap<>();
  private final Map<String, Run> byPod = new HashMap<>();
  private final TreeSet<Mark> newest = new TreeSet<>();

  /// The ends of runs with pods that were told as counting, and as past. A run can have both.
  private final TreeSet<Mark> counting = new TreeSet<>();

  private final TreeSet<Mark> past = new TreeSet<>();

  /// Pods of events since the last call that were told as past.
  private final Set<String> touched = new LinkedHashSet<>();

  /// Number of pods that may count again; at most the number of all pods.
  private int credit;

  boolean isEmpty() {
    return byPod.isEmpty();
  }

  boolean isPast(String key) {
    @Nullable Run run = byPod.get(key);
    return run != null && run.past.containsKey(key);
  }

  void put(String key, PodFact.Ours pod) {
    boolean wasPast = take(key);
    Run run = byMaker.computeIfAbsent(pod.stint().maker(), Run::new);
    byPod.put(key, run);
    change(run, () -> run.add(key, pod, wasPast));
    if (wasPast) {
      touched.add(key);
    }
    earn();
  }

  /// Removes the pod. Returns true if it was told as past.
  boolean remove(String key) {
    boolean wasPast = take(key);
    earn();
    return wasPast;
  }

  private boolean take(String key) {
    boolean wasPast = isPast(key);
    Run run = byPod.remove(key);
    if (run != null) {
      change(run, () -> run.remove(key));
    }
    touched.remove(key);
    return wasPast;
  }

  private void earn() {
    credit = Math.min(credit + 1, byPod.size());
  }

  private void change(Run run, Runnable pods) {
    if (!run.isEmpty()) {
      newest.remove(run.newest());
      counting.remove(run.end());
      past.remove(run.end());
    }
    pods.run();
    if (run.isEmpty()) {
      byMaker.remove(run.maker);
      return;
    }
    newest.add(run.newest());
    if (!run.counting.isEmpty()) {
      counting.add(run.end());
    }
    if (!run.past.isEmpty()) {
      past.add(run.end());
    }
  }

  private Run run(Mark of) {
    @Nullable Run run = byMaker.get(of.maker());
    if (run == null) {
      throw new IllegalStateException("No run of " + of);
    }
    return run;
  }

  /// Returns the time before which ended runs are past. A single run is never past.
  private Instant threshold() {
    return newest.size() > 1 ? newest.last().at() : Instant.MIN;
  }

  Changes changes() {
    Changes changes = Changes.none();
    Mark limit = new Mark(threshold(), "");
    for (String key : touched) {
      Run run = byPod.get(key);
      if (run != null && run.end().compareTo(limit) >= 0) {
        recount(run, run.past.subMap(key, true, key, true), changes);
      }
    }
    touched.clear();
    while (!counting.isEmpty() && counting.first().compareTo(limit) < 0) {
      Run run = run(counting.first());
      changes.past().putAll(run.counting);
      change(run, run::pass);
    }
    while (!past.isEmpty() && past.last().compareTo(limit) >= 0) {
      Run run = run(past.last());
      if (run.past.size() > credit) {
        break;
      }
      credit -= run.past.size();
      recount(run, run.past, changes);
    }
    return changes;
  }

  private void recount(Run run, SortedMap<String, PodFact.Ours> pods, Changes changes) {
    changes.present().putAll(pods);
    change(run, () -> run.recount(pods));
  }
}
