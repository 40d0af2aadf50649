package dev.muster.simulator.baseline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/// The waiting jobs in the policy's order, kept separately for each kind. If the first of a kind
/// has no placement, none of that kind has. So a pass examines one job for each kind, and those
/// that start.
final class JobQueue {
  private final Comparator<JobState> order;
  private final Function<JobState, String> kind;
  private final TreeMap<String, TreeSet<JobState>> kinds = new TreeMap<>();
  private int size;

  /// @param order total order, unchanged while a job waits
  /// @param kind common property of jobs that are alike to the policy
  JobQueue(Comparator<JobState> order, Function<JobState, String> kind) {
    this.order = order;
    this.kind = kind;
  }

  void add(JobState job) {
    kinds.computeIfAbsent(kind.apply(job), _ -> new TreeSet<>(order)).add(job);
    size++;
  }

  void remove(JobState job) {
    String key = kind.apply(job);
    TreeSet<JobState> alike = kinds.get(key);
    if (alike != null && alike.remove(job)) {
      size--;
      if (alike.isEmpty()) {
        kinds.remove(key);
      }
    }
  }

  int size() {
    return size;
  }

  /// Returns all waiting jobs, in order.
  List<JobState> all() {
    List<JobState> all = new ArrayList<>(size);
    kinds.values().forEach(all::addAll);
    if (kinds.size() > 1) {
      all.sort(order);
    }
    return all;
  }

  /// Returns the first job of each kind, in order of the kinds.
  List<JobState> heads() {
    List<JobState> heads = new ArrayList<>(kinds.size());
    kinds.values().forEach(alike -> heads.add(alike.first()));
    return heads;
  }

  /// Visits the jobs in order.
  ///
  /// @param starts starts a job and removes it from the queue, or returns false without a placement
  /// @param strict true if the first job without a placement ends the pass
  void pass(Predicate<JobState> starts, boolean strict) {
    PriorityQueue<JobState> heads = new PriorityQueue<>(order);
    heads.addAll(heads());
    while (!heads.isEmpty()) {
      JobState job = heads.remove();
      String key = kind.apply(job);
      if (starts.test(job)) {
        TreeSet<JobState> alike = kinds.get(key);
        if (alike != null) {
          heads.add(alike.first());
        }
      } else if (strict) {
        return;
      }
    }
  }
}
