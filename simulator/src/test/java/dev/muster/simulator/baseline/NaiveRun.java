package dev.muster.simulator.baseline;

import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The classic policies in their simplest form, as a reference for the fast ones. It advances by
/// milliseconds, uses only lists and recomputes everything each time.
final class NaiveRun extends NaiveSchedule {
  private final Map<NaiveJob, Promise> promised = new HashMap<>();
  private int places; // given in the line of least attained service

  NaiveRun(
      List<TraceJob> trace,
      NaiveNodes nodes,
      PolicyName policy,
      BaselineOptions options,
      List<Away> away) {
    super(trace, nodes, policy, options, away);
  }

  NaiveRun run() {
    jobs.removeIf(job -> job.gpus > 0 && nodes.place(job.ask, nodes.capacity()) == null);
    for (now = 0; jobs.stream().anyMatch(job -> job.end < 0); now++) {
      boolean event;
      boolean first = true;
      do {
        event = waiting().stream().anyMatch(job -> job.submit() == now && job.gpus > 0);
        event |= ended();
        event |= first && lost();
        first = false;
        for (NaiveJob job : waiting()) {
          if (job.gpus == 0) {
            start(job, new int[nodes.capacity().length]);
          }
        }
        event |= ended(); // jobs without GPUs and run time, before the one pass of this instant
        event |= policy == PolicyName.LAS && crossed();
        if (event) {
          charge();
          pass();
        }
      } while (jobs.stream().anyMatch(NaiveJob::isDone));
      for (NaiveJob job : running()) {
        job.served += job.gpus;
        if (job.idle > 0) {
          job.idle--;
        } else {
          job.ran++;
        }
      }
    }
    return this;
  }

  /// True if jobs ended.
  private boolean ended() {
    boolean event = false;
    for (NaiveJob job : jobs) {
      if (job.isDone()) {
        job.held = null;
        job.end = now;
        event = true;
      }
    }
    return event;
  }

  /// Of the time since the last event so much was for nothing.
  private void charge() {
    if (options.charge() == BaselineOptions.ServiceCharge.EVERY_EVENT) {
      for (NaiveJob job : running()) {
        int overhead = job.overhead(options, nodes.model(held(job)));
        if (overhead > 0) {
          job.ran = Math.max(0, job.ran - overhead);
          job.left = job.left();
          job.ran = 0;
        }
      }
    }
  }

  private void pass() {
    switch (policy) {
      case FIFO_STRICT -> inOrder(waiting(), true);
      case FIFO_SKIP -> inOrder(waiting(), false);
      case SJF_STRICT -> inOrder(sorted(waiting(), Comparator.comparingInt(NaiveJob::run)), true);
      case SJF_SKIP -> inOrder(sorted(waiting(), Comparator.comparingInt(NaiveJob::run)), false);
      case SRTF -> rearrange(Comparator.comparingDouble(NaiveJob::left));
      case SRSF -> rearrange(Comparator.comparingDouble(job -> job.left() * job.gpus));
      case LAS -> leastAttained();
      case EASY -> easy();
      case CONSERVATIVE -> conservative();
      case FAIR_SHARE -> fairShare();
    }
  }

  /// Gives each job the place in line after all jobs of its queue that go before it.
  private void leastAttained() {
    for (NaiveJob job : jobs) {
      if (job.submit() <= now && job.place < 0) {
        job.place = ++places;
      }
    }
    rearrange(Comparator.comparingInt((NaiveJob job) -> job.level).thenComparingInt(j -> j.place));
    List<NaiveJob> line = sorted(jobs, Comparator.comparingInt(job -> job.place));
    for (NaiveJob job : line) {
      if (job.waits(now)) {
        job.place = ++places; // behind those that run
      }
    }
  }

  private boolean crossed() {
    boolean crossed = false;
    for (NaiveJob job : jobs) {
      while (job.submit() <= now
          && job.end < 0
          && job.level < options.thresholds().size()
          && job.served >= options.thresholds().get(job.level).toMillis()) {
        job.level++;
        job.place = ++places;
        crossed = true;
      }
    }
    return crossed;
  }

  private void rearrange(Comparator<NaiveJob> order) {
    List<NaiveJob> active = new ArrayList<>(running());
    active.addAll(waiting());
    active.removeIf(job -> job.gpus == 0); // who needs no GPU is never in the way
    int[] free = there();
    for (NaiveJob job : sorted(active, order)) {
      int[] before = job.held;
      int[] place = nodes.place(job.ask, free);
      if (!Arrays.equals(before, place)) {
        if (before != null) {
          job.stop(options);
        }
        job.preemptions += before != null && place == null ? 1 : 0;
        start(job, place);
      }
      change(free, place, -1);
    }
  }

  private int[] seen(int[] free) {
    return options.reservations() == BaselineOptions.Reservations.NAMED
        ? free
        : nodes.byModel(free);
  }

  /// A place where it does not matter, or does matter, which GPUs of a model they are.
  private int @Nullable [] plan(NaiveJob job, int[] seen) {
    return options.reservations() == BaselineOptions.Reservations.NAMED
        ? nodes.place(job.ask, seen)
        : nodes.count(job.ask, seen);
  }

  private int @Nullable [] realPlace(NaiveJob job, int[] plan) {
    return options.reservations() == BaselineOptions.Reservations.NAMED
        ? plan
        : nodes.place(job.ask, nodes.only(nodes.modelOf(plan), free()));
  }

  private int[] freeAt(int time) {
    int[] free = free();
    running().stream()
        .filter(job -> job.expectedEnd(now) <= time)
        .forEach(job -> change(free, job.held, 1));
    for (int node = 0; node < free.length; node++) {
      free[node] += isAway(node, now) && back(node) <= time ? nodes.capacity()[node] : 0;
    }
    return seen(free);
  }

  private void easy() {
    inOrder(waiting(), true);
    if (waiting().isEmpty()) {
      return;
    }
    NaiveJob first = waiting().getFirst();
    int shadow = now;
    while (plan(first, freeAt(shadow)) == null) {
      shadow++;
    }
    int[] promise = plan(first, freeAt(shadow));
    for (NaiveJob job : waiting().subList(1, waiting().size())) {
      if (now + job.estimate(options, nodes.modelNames()) <= shadow) {
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
    boolean full = Arrays.stream(free()).sum() == 0;
    if (full && promised.keySet().containsAll(waiting())) {
      return;
    }
    List<Promise> others = new ArrayList<>();
    for (NaiveJob job : running()) {
      others.add(new Promise(now, job.expectedEnd(now), seen(held(job))));
    }
    for (int node = 0; node < nodes.capacity().length; node++) {
      if (isAway(node, now)) {
        int[] whole = new int[nodes.capacity().length];
        whole[node] = nodes.capacity()[node];
        others.add(new Promise(now, back(node), seen(whole)));
      }
    }
    for (NaiveJob job : waiting()) {
      Promise promise = promised.remove(job);
      if (promise != null) {
        int late = Math.max(0, now - promise.start);
        Promise due = new Promise(promise.start + late, promise.end + late, promise.place);
        int[] least = least(others, due.start, due.end);
        if (IntStream.range(0, least.length).allMatch(i -> due.place[i] <= least[i])) {
          promised.put(job, due);
          others.add(due);
        }
      }
    }
    for (NaiveJob job : waiting()) {
      if (full && promised.containsKey(job)) {
        continue;
      }
      others.remove(promised.remove(job));
      int length = Math.max(1, job.estimate(options, nodes.modelNames()));
      TreeSet<Integer> starts = new TreeSet<>(List.of(now));
      others.forEach(promise -> starts.add(promise.end)); // nothing comes free in between
      int start = starts.first();
      int[] place = plan(job, least(others, start, start + length));
      while (place == null) {
        start = starts.higher(start);
        place = plan(job, least(others, start, start + length));
      }
      if (start == now && start(job, realPlace(job, place))) {
        others.add(new Promise(now, job.expectedEnd(now), seen(held(job))));
      } else {
        Promise promise = new Promise(start, start + length, place);
        promised.put(job, promise);
        others.add(promise);
      }
    }
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
      NaiveJob next =
          waiting().stream()
              .filter(job -> !blocked.contains(job.job.queue()))
              .min(
                  Comparator.comparingInt((NaiveJob job) -> used.getOrDefault(job.job.queue(), 0))
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
