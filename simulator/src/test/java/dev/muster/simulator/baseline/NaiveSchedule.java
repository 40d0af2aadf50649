package dev.muster.simulator.baseline;

import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Jobs on nodes at one millisecond, as lists that are searched from the front each time.
abstract class NaiveSchedule {
  final List<NaiveJob> jobs = new ArrayList<>();
  final NaiveNodes nodes;
  final PolicyName policy;
  final BaselineOptions options;
  final List<Away> away;
  int now;

  /// A node that is unavailable from one time to another.
  record Away(int node, int from, int to) {}

  NaiveSchedule(
      List<TraceJob> trace,
      NaiveNodes nodes,
      PolicyName policy,
      BaselineOptions options,
      List<Away> away) {
    this.nodes = nodes;
    this.away = away;
    this.policy = policy;
    this.options = options;
    for (TraceJob job : trace) {
      jobs.add(new NaiveJob(job, jobs.size(), GpuRequest.of(job, options.oneGpuWorkers())));
    }
  }

  /// True if nodes went or came back. Jobs on a node that went wait again.
  boolean lost() {
    for (NaiveJob job : running()) {
      if (IntStream.range(0, nodes.capacity().length)
          .anyMatch(node -> held(job)[node] > 0 && isAway(node, now))) {
        job.stop(options);
        job.preemptions++;
      }
    }
    return IntStream.range(0, nodes.capacity().length)
        .anyMatch(node -> isAway(node, now) != isAway(node, now - 1));
  }

  boolean isAway(int node, int time) {
    return away.stream().anyMatch(a -> a.node == node && a.from <= time && time < a.to);
  }

  /// Returns the time at which an unavailable node is expected back.
  int back(int node) {
    return away.stream()
        .filter(a -> a.node == node && a.from <= now && now < a.to)
        .mapToInt(Away::to)
        .max()
        .orElse(now);
  }

  List<NaiveJob> running() {
    return jobs.stream().filter(job -> job.held != null).toList();
  }

  List<NaiveJob> waiting() {
    return jobs.stream().filter(job -> job.waits(now)).toList();
  }

  int[] free() {
    int[] free = there();
    running().forEach(job -> change(free, job.held, -1));
    return free;
  }

  /// All GPUs of the nodes that are there.
  int[] there() {
    int[] there = nodes.capacity();
    for (int node = 0; node < there.length; node++) {
      there[node] = isAway(node, now) ? 0 : there[node];
    }
    return there;
  }

  static void change(int[] free, int @Nullable [] by, int times) {
    for (int i = 0; by != null && i < free.length; i++) {
      free[i] += times * by[i];
    }
  }

  boolean start(NaiveJob job, int @Nullable [] place) {
    if (place == null) {
      return false;
    }
    job.held = place;
    job.rate = nodes.rate(place);
    job.idle = job.restart(options, nodes.model(place));
    job.start = job.start < 0 ? now : job.start;
    job.begun = now;
    return true;
  }

  static List<NaiveJob> sorted(List<NaiveJob> some, Comparator<NaiveJob> order) {
    return some.stream().sorted(order.thenComparingInt(job -> job.number)).toList();
  }

  void inOrder(List<NaiveJob> order, boolean strict) {
    for (NaiveJob job : order) {
      if (!start(job, nodes.place(job.ask, free())) && strict) {
        return;
      }
    }
  }

  static int[] held(NaiveJob job) {
    return job.held == null ? new int[0] : job.held;
  }
}
