package dev.muster.simulator.baseline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The GPUs expected to be free from now on, by node. With counted reservations they are kept by
/// model.
final class FreeGpuProfile {
  private final BaselineCluster cluster;
  private final boolean named;
  private final List<Step> steps = new ArrayList<>();

  /// A period from `time` to the next step with constant free GPUs. The number is negative if a job
  /// that runs slower than planned holds GPUs promised to another job. A negative number does not
  /// reduce the free GPUs of other entries.
  private static final class Step {
    private final long time;
    private final int[] free;
    private int total;

    Step(long time, int[] free) {
      this.time = time;
      this.free = free;
      this.total = Arrays.stream(free).map(amount -> Math.max(0, amount)).sum();
    }

    void add(int at, int more) {
      total -= Math.max(0, free[at]);
      free[at] += more;
      total += Math.max(0, free[at]);
    }
  }

  /// A planned allocation, from its start to its expected end. With counted reservations, the
  /// entries of the allocation are models.
  record Slot(long start, long end, Allocation allocation) {
    /// Returns the slot, or one of equal length that starts at `time` if it started before.
    Slot noEarlierThan(long time) {
      return start >= time ? this : new Slot(time, time + end - start, allocation);
    }
  }

  private FreeGpuProfile(BaselineCluster cluster) {
    this.cluster = cluster;
    this.named = cluster.semantics().reservations() == BaselineOptions.Reservations.NAMED;
  }

  /// Returns the profile after the expected ends of running jobs and the expected returns of absent
  /// nodes.
  static FreeGpuProfile of(BaselineCluster cluster) {
    FreeGpuProfile profile = new FreeGpuProfile(cluster);
    profile.steps.add(new Step(cluster.now(), profile.freeNow()));
    for (JobState job : cluster.running()) {
      profile.free(cluster.held(job), job.expectedEnd(cluster.now()));
    }
    cluster
        .absent()
        .forEach((node, back) -> {
          Allocation whole = new Allocation();
          whole.add(node, cluster.machines().capacity(node));
          profile.free(whole, Math.max(cluster.now() + 1, back));
        });
    return profile;
  }

  private void free(Allocation allocation, long from) {
    add(seen(allocation), from, Long.MAX_VALUE, 1);
  }

  /// Returns the GPUs that are free now.
  int[] freeNow() {
    return named ? cluster.machines().free() : cluster.machines().freeByModel();
  }

  /// Returns the GPUs that are free at the time.
  int[] freeAt(long time) {
    return steps.get(stepAt(time)).free.clone();
  }

  /// Returns the allocation as this profile counts it: by node or by model.
  Allocation seen(Allocation allocation) {
    if (named) {
      return allocation;
    }
    Allocation counted = new Allocation();
    for (int i = 0; i < allocation.size(); i++) {
      counted.add(cluster.machines().model(allocation.node(i)), allocation.gpus(i));
    }
    return counted;
  }

  /// Returns a placement in these free GPUs; null when there is none.
  @Nullable Allocation place(GpuRequest request, int[] free) {
    int[] some = Arrays.stream(free).map(amount -> Math.max(0, amount)).toArray();
    return named
        ? cluster.machines().with(some).place(request, cluster.semantics().placement())
        : cluster.machines().count(request, cluster.models(request), some);
  }

  /// Returns the earliest time from which the waiting job has a placement until its expected end.
  Slot earliest(JobState job) {
    long length = Math.max(1, cluster.estimate(job));
    for (int from = 0; from < steps.size(); from++) {
      long start = steps.get(from).time;
      int[] least = least(from, start + length, job.ask.gpus());
      Allocation allocation = least == null ? null : place(job.ask, least);
      if (allocation != null) {
        return new Slot(start, start + length, allocation);
      }
    }
    throw new IllegalStateException(
        "The job (%s) does not fit even the empty fleet.".formatted(job.spec.id()));
  }

  /// Returns the GPUs that are free from a step until `end`; null if the total is less than needed.
  private int @Nullable [] least(int from, long end, int needed) {
    for (int i = from; i < steps.size() && (i == from || steps.get(i).time < end); i++) {
      if (steps.get(i).total < needed) {
        return null; // most steps have almost no free GPUs, so the nodes need no look
      }
    }
    int[] least = steps.get(from).free.clone();
    int total = steps.get(from).total;
    for (int i = from + 1; i < steps.size() && steps.get(i).time < end && total >= needed; i++) {
      int[] free = steps.get(i).free;
      for (int node = 0; node < least.length; node++) {
        int less = Math.max(0, least[node] - Math.max(0, free[node]));
        least[node] -= less;
        total -= less;
      }
    }
    return total < needed ? null : least;
  }

  /// True if the allocation of the slot is free during all of it.
  boolean canReserve(Slot slot) {
    Map<Integer, Integer> needed = slot.allocation.byNode();
    for (int i = stepAt(slot.start); i < steps.size() && steps.get(i).time < slot.end; i++) {
      int[] free = steps.get(i).free;
      if (needed.entrySet().stream().anyMatch(node -> free[node.getKey()] < node.getValue())) {
        return false;
      }
    }
    return true;
  }

  /// Reserves the slot.
  void reserve(Slot slot) {
    add(slot.allocation, slot.start, slot.end, -1);
  }

  /// Releases a slot that was reserved.
  void release(Slot slot) {
    add(slot.allocation, slot.start, slot.end, 1);
  }

  private void add(Allocation allocation, long start, long end, int times) {
    int from = boundary(start);
    int to = end == Long.MAX_VALUE ? steps.size() : boundary(end);
    for (int step = from; step < to; step++) {
      Step changed = steps.get(step);
      for (int i = 0; i < allocation.size(); i++) {
        changed.add(allocation.node(i), times * allocation.gpus(i));
      }
    }
  }

  private int boundary(long time) {
    int at = stepAt(time);
    if (steps.get(at).time == time) {
      return at;
    }
    steps.add(at + 1, new Step(time, steps.get(at).free.clone()));
    return at + 1;
  }

  private int stepAt(long time) {
    int low = 0;
    int high = steps.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (steps.get(middle).time <= time) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
