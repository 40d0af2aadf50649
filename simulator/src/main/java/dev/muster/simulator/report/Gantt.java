package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.run.record.AllocationSpan;
import dev.muster.simulator.run.record.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The bars of the Gantt chart: the GPUs of a node that each job held, over time.
///
/// Of many nodes the first are drawn. Of many stays those with the most GPU time are drawn. The
/// report gives both totals.
final class Gantt {
  private static final int MOST_NODES = 96;

  private Gantt() {}

  /// Returns the chart of a run.
  ///
  /// @param most largest number of stays
  static ObjectNode of(RunResult run, int most) {
    List<Integer> order = HeatMap.order(run);
    List<Integer> drawn = order.subList(0, Math.min(MOST_NODES, order.size()));
    Map<Integer, Integer> rows = new HashMap<>();
    drawn.forEach(node -> rows.put(node, rows.size()));
    List<AllocationSpan> all =
        run.spans().stream().filter(span -> rows.containsKey(span.node())).toList();
    ObjectNode gantt = ResultFiles.JSON.createObjectNode();
    gantt.put("all_nodes", order.size()).put("all_stays", run.spans().size() + run.droppedStays());
    gantt.put("end_s", run.endMillis() / 1000.0);
    ArrayNode names = gantt.putArray("nodes");
    ArrayNode gpus = gantt.putArray("gpus");
    for (int node : drawn) {
      names.add(run.fleet().nodes().get(node).id().name());
      gpus.add(run.fleet().nodes().get(node).gpus());
    }
    bars(run, longest(all, most), rows, gantt);
    return gantt;
  }

  private static List<AllocationSpan> longest(List<AllocationSpan> spans, int count) {
    List<AllocationSpan> most = new ArrayList<>(spans);
    if (most.size() > count) {
      most.sort(Comparator.comparingDouble(Gantt::area).reversed());
      most = new ArrayList<>(most.subList(0, count));
    }
    most.sort(
        Comparator.comparingLong(AllocationSpan::fromMillis)
            .thenComparingInt(AllocationSpan::job)
            .thenComparingInt(AllocationSpan::node));
    return most;
  }

  private static double area(AllocationSpan span) {
    return (double) span.gpuMilli() * (span.toMillis() - span.fromMillis());
  }

  /// Adds the bars, each an array of seven numbers.
  ///
  /// 1. Row of the node.
  /// 2. First GPU.
  /// 3. Number of GPUs.
  /// 4. Start in seconds.
  /// 5. End in seconds.
  /// 6. Index of the job in the list of jobs.
  /// 7. GPUs of the whole stay.
  private static void bars(
      RunResult run, List<AllocationSpan> spans, Map<Integer, Integer> rows, ObjectNode gantt) {
    ArrayNode jobs = gantt.put("stays", spans.size()).putArray("jobs");
    ArrayNode bars = gantt.putArray("bars");
    Map<Integer, Integer> places = new HashMap<>();
    Map<Integer, List<Lane>> lanes = new HashMap<>();
    for (AllocationSpan span : spans) {
      if (span.gpuMilli() == 0) {
        continue;
      }
      int place = places.computeIfAbsent(span.job(), _ -> places.size());
      if (place == jobs.size()) {
        var job = run.jobs().get(span.job()).job();
        jobs.add(job.id() + (job.queue().isEmpty() ? "" : " (" + job.queue() + ")"));
      }
      long room = 1000L * run.fleet().nodes().get(span.node()).gpus();
      for (Lane lane : take(lanes.computeIfAbsent(span.node(), _ -> whole(room)), span)) {
        ArrayNode bar = bars.addArray().add(rows.get(span.node()));
        bar.add(lane.from() / 1000.0).add((lane.to() - lane.from()) / 1000.0);
        bar.add(span.fromMillis() / 1000.0).add(span.toMillis() / 1000.0).add(place);
        bar.add(span.gpuMilli() / 1000.0);
      }
    }
  }

  /// Adjacent GPUs of a node, in thousandths, that become free together.
  private record Lane(long from, long to, long freeMillis) {}

  private static List<Lane> whole(long room) {
    return new ArrayList<>(List.of(new Lane(0, room, Long.MIN_VALUE)));
  }

  /// Takes the lowest free GPUs and returns them as few adjacent ranges.
  ///
  /// The GPUs that a job really held are unknown.
  ///
  /// @param lanes the GPUs of a node, lowest first
  private static List<Lane> take(List<Lane> lanes, AllocationSpan span) {
    List<Lane> taken = new ArrayList<>();
    List<Lane> after = new ArrayList<>();
    long open = span.gpuMilli();
    for (Lane lane : lanes) {
      long of =
          lane.freeMillis() <= span.fromMillis() ? Math.min(open, lane.to() - lane.from()) : 0;
      long cut = lane.from() + of;
      open -= of;
      if (of > 0) {
        join(taken, new Lane(lane.from(), cut, span.toMillis()));
        join(after, new Lane(lane.from(), cut, span.toMillis()));
      }
      if (cut < lane.to()) {
        join(after, new Lane(cut, lane.to(), lane.freeMillis()));
      }
    }
    lanes.clear();
    lanes.addAll(after);
    return taken;
  }

  /// Appends a lane, and merges it with the last one if they are adjacent and free together.
  private static void join(List<Lane> lanes, Lane lane) {
    boolean goesOn =
        !lanes.isEmpty()
            && lanes.getLast().to() == lane.from()
            && lanes.getLast().freeMillis() == lane.freeMillis();
    lanes.add(goesOn ? new Lane(lanes.removeLast().from(), lane.to(), lane.freeMillis()) : lane);
  }
}
