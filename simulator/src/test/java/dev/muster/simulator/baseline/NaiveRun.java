package dev.muster.simulator.baseline;

import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The classic policies once more, as simple as can be: millisecond by millisecond, lists only,
/// everything looked at every time. What the fast ones do is held against it.
final class NaiveRun {
  final List<Job> jobs = new ArrayList<>();
  private final NaiveNodes nodes;
  private final PolicyName policy;
  private final Semantics semantics;
  private int now;

  static final class Job {
    final TraceJob job;
    final int number;
    final int gpus;
    final Ask ask;
    int @Nullable [] held; // GPUs on each node
    int start = -1;
    int end = -1;
    int begun; // the last start
    int left;
    int idle;
    int preemptions;
    int served;
    int level;
    int entered;

    Job(TraceJob job, int number, Ask ask) {
      this.job = job;
      this.number = number;
      this.ask = ask;
      this.gpus = ask.gpus();
      this.left = (int) job.runMillis();
      this.entered = submit();
    }

    int submit() {
      return (int) job.submitMillis();
    }

    int run() {
      return (int) job.runMillis();
    }

    boolean waits(int now) {
      return submit() <= now && held == null && end < 0;
    }

    int expectedEnd(int now) {
      return Math.max(now + 1, begun + run());
    }
  }

  NaiveRun(List<TraceJob> trace, NaiveNodes nodes, PolicyName policy, Semantics semantics) {
    this.nodes = nodes;
    this.policy = policy;
    this.semantics = semantics;
    for (TraceJob job : trace) {
      jobs.add(new Job(job, jobs.size(), Ask.of(job, semantics.oneGpuWorkers())));
    }
  }

  NaiveRun run() {
    jobs.removeIf(job -> nodes.place(job.ask, nodes.capacity()) == null);
    for (now = 0; jobs.stream().anyMatch(job -> job.end < 0); now++) {
      boolean event;
      do {
        event = jobs.stream().anyMatch(job -> job.submit() == now && job.waits(now));
        for (Job job : jobs) {
          if (job.held != null && job.left == 0) {
            job.held = null;
            job.end = now;
            event = true;
          }
        }
        event |= policy == PolicyName.LAS && crossed();
        if (event) {
          pass();
        }
      } while (jobs.stream().anyMatch(job -> job.held != null && job.left == 0));
      for (Job job : running()) {
        job.served += job.gpus;
        if (job.idle > 0) {
          job.idle--;
        } else {
          job.left--;
        }
      }
    }
    return this;
  }

  private List<Job> running() {
    return jobs.stream().filter(job -> job.held != null).toList();
  }

  private List<Job> waiting() {
    return jobs.stream().filter(job -> job.waits(now)).toList();
  }

  private int[] free() {
    int[] free = nodes.capacity();
    running().forEach(job -> change(free, job.held, -1));
    return free;
  }

  private static void change(int[] free, int @Nullable [] by, int times) {
    for (int i = 0; by != null && i < free.length; i++) {
      free[i] += times * by[i];
    }
  }

  private boolean start(Job job, int @Nullable [] place) {
    if (place == null) {
      return false;
    }
    job.held = place;
    job.idle = job.start >= 0 ? (int) semantics.losses().restart().toMillis() : 0;
    job.start = job.start < 0 ? now : job.start;
    job.begun = now;
    return true;
  }

  private void pass() {
    switch (policy) {
      case FIFO_STRICT -> inOrder(waiting(), true);
      case FIFO_SKIP -> inOrder(waiting(), false);
      case SJF_STRICT -> inOrder(sorted(waiting(), Comparator.comparingInt(Job::run)), true);
      case SJF_SKIP -> inOrder(sorted(waiting(), Comparator.comparingInt(Job::run)), false);
      case SRTF -> rearrange(Comparator.comparingInt(job -> job.left));
      case SRSF -> rearrange(Comparator.comparingInt(job -> job.left * job.gpus));
      case LAS ->
          rearrange(
              Comparator.comparingInt((Job job) -> job.level).thenComparingInt(j -> j.entered));
      case EASY -> easy();
      case CONSERVATIVE -> conservative();
      case FAIR_SHARE -> fairShare();
    }
  }

  private static List<Job> sorted(List<Job> some, Comparator<Job> order) {
    return some.stream().sorted(order.thenComparingInt(job -> job.number)).toList();
  }

  private void inOrder(List<Job> order, boolean strict) {
    for (Job job : order) {
      if (!start(job, nodes.place(job.ask, free())) && strict) {
        return;
      }
    }
  }

  // ---- Preemption ----

  private boolean crossed() {
    boolean crossed = false;
    for (Job job : jobs) {
      while (job.submit() <= now
          && job.end < 0
          && job.level < semantics.thresholds().size()
          && job.served >= semantics.thresholds().get(job.level).toMillis()) {
        job.level++;
        job.entered = now;
        crossed = true;
      }
    }
    return crossed;
  }

  private void rearrange(Comparator<Job> order) {
    List<Job> active = new ArrayList<>(running());
    active.addAll(waiting());
    int[] free = nodes.capacity();
    for (Job job : sorted(active, order)) {
      int[] before = job.held;
      int[] place = nodes.place(job.ask, free);
      job.held = null;
      if (place == null) {
        job.preemptions += before == null ? 0 : 1;
      } else if (Arrays.equals(before, place)) {
        job.held = place;
      } else {
        start(job, place);
      }
      change(free, place, -1);
    }
  }

  // ---- Backfilling ----

  private int[] seen(int[] free) {
    return semantics.reservations() == Semantics.Reservations.NAMED ? free : nodes.byModel(free);
  }

  /// A place where it does not matter, or does matter, which GPUs of a model they are.
  private int @Nullable [] plan(Job job, int[] seen) {
    return semantics.reservations() == Semantics.Reservations.NAMED
        ? nodes.place(job.ask, seen)
        : nodes.count(job.ask, seen);
  }

  private int @Nullable [] realPlace(Job job, int[] plan) {
    return semantics.reservations() == Semantics.Reservations.NAMED
        ? plan
        : nodes.place(job.ask, nodes.only(nodes.modelOf(plan), free()));
  }

  private int[] freeAt(int time) {
    int[] free = free();
    running().stream()
        .filter(job -> job.expectedEnd(now) <= time)
        .forEach(job -> change(free, job.held, 1));
    return seen(free);
  }

  private void easy() {
    inOrder(waiting(), true);
    if (waiting().isEmpty()) {
      return;
    }
    Job first = waiting().getFirst();
    int shadow = now;
    while (plan(first, freeAt(shadow)) == null) {
      shadow++;
    }
    int[] promise = plan(first, freeAt(shadow));
    for (Job job : waiting().subList(1, waiting().size())) {
      if (now + job.run() <= shadow) {
        start(job, nodes.place(job.ask, free()));
        continue;
      }
      int[] spare = freeAt(shadow);
      change(spare, promise, -1);
      int[] free = seen(free());
      for (int i = 0; i < spare.length; i++) {
        spare[i] = Math.max(0, Math.min(spare[i], free[i]));
      }
      int[] plan = plan(job, spare);
      if (plan != null) {
        start(job, realPlace(job, plan));
      }
    }
  }

  private static final class Promise {
    private final int start;
    private final int end;
    private final int[] place;

    Promise(int start, int end, int[] place) {
      this.start = start;
      this.end = end;
      this.place = place;
    }
  }

  private void conservative() {
    List<Promise> promises = new ArrayList<>();
    for (Job job : running()) {
      promises.add(new Promise(now, job.expectedEnd(now), seen(held(job))));
    }
    for (Job job : waiting()) {
      int length = Math.max(1, job.run());
      TreeSet<Integer> starts = new TreeSet<>(List.of(now));
      promises.forEach(promise -> starts.add(promise.end)); // nothing comes free in between
      int start = starts.first();
      int[] place = plan(job, least(promises, start, start + length));
      while (place == null) {
        start = starts.higher(start);
        place = plan(job, least(promises, start, start + length));
      }
      if (start == now && start(job, realPlace(job, place))) {
        place = seen(held(job));
      }
      promises.add(new Promise(start, start + length, place));
    }
  }

  private static int[] held(Job job) {
    return job.held == null ? new int[0] : job.held;
  }

  private int[] least(List<Promise> promises, int from, int to) {
    int[] least = seen(nodes.capacity());
    for (int time = from; time < to; time++) {
      int[] free = seen(nodes.capacity());
      for (Promise promise : promises) {
        if (promise.start <= time && time < promise.end) {
          change(free, promise.place, -1);
        }
      }
      for (int i = 0; i < free.length; i++) {
        least[i] = Math.max(0, Math.min(least[i], free[i]));
      }
    }
    return least;
  }

  private void fairShare() {
    TreeSet<String> blocked = new TreeSet<>();
    while (true) {
      Map<String, Integer> used = new HashMap<>();
      running().forEach(job -> used.merge(job.job.queue(), job.gpus, Integer::sum));
      Job next =
          waiting().stream()
              .filter(job -> !blocked.contains(job.job.queue()))
              .min(
                  Comparator.comparingInt((Job job) -> used.getOrDefault(job.job.queue(), 0))
                      .thenComparing(job -> job.job.queue())
                      .thenComparingInt(job -> job.number))
              .orElse(null);
      if (next == null) {
        return;
      }
      if (!start(next, nodes.place(next.ask, free()))) {
        blocked.add(next.job.queue());
      }
    }
  }
}
