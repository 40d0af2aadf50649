package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.run.RunResult;
import dev.muster.simulator.run.Stay;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Which job was on which GPUs of which node when. Of many nodes the first are drawn, of many stays
/// those that used most GPU time; the report says how many.
final class Gantt {
  private static final int MOST_NODES = 96;
  private static final int MOST_STAYS = 6_000;

  private Gantt() {}

  static ObjectNode of(RunResult run) {
    List<Integer> order = HeatMap.order(run);
    List<Integer> drawn = order.subList(0, Math.min(MOST_NODES, order.size()));
    Map<Integer, Integer> rows = new HashMap<>();
    drawn.forEach(node -> rows.put(node, rows.size()));
    List<Stay> all = run.stays().stream().filter(stay -> rows.containsKey(stay.node())).toList();
    ObjectNode gantt = ResultFiles.JSON.createObjectNode();
    gantt.put("all_nodes", order.size()).put("all_stays", run.stays().size() + run.droppedStays());
    gantt.put("end_s", run.endMillis() / 1000.0);
    ArrayNode names = gantt.putArray("nodes");
    ArrayNode gpus = gantt.putArray("gpus");
    for (int node : drawn) {
      names.add(run.fleet().nodes().get(node).id().name());
      gpus.add(run.fleet().nodes().get(node).gpus());
    }
    bars(run, longest(all), rows, gantt);
    return gantt;
  }

  private static List<Stay> longest(List<Stay> stays) {
    List<Stay> most = new ArrayList<>(stays);
    if (most.size() > MOST_STAYS) {
      most.sort(Comparator.comparingDouble(Gantt::area).reversed());
      most = new ArrayList<>(most.subList(0, MOST_STAYS));
    }
    most.sort(
        Comparator.comparingLong(Stay::fromMillis)
            .thenComparingInt(Stay::job)
            .thenComparingInt(Stay::node));
    return most;
  }

  private static double area(Stay stay) {
    return (double) stay.gpuMilli() * (stay.toMillis() - stay.fromMillis());
  }

  /// Each bar: row, first GPU, GPUs, from and to in seconds, the job's place in the list of jobs.
  private static void bars(
      RunResult run, List<Stay> stays, Map<Integer, Integer> rows, ObjectNode gantt) {
    ArrayNode jobs = gantt.putArray("jobs");
    ArrayNode bars = gantt.putArray("bars");
    Map<Integer, Integer> places = new HashMap<>();
    Map<Integer, long[]> busy = new HashMap<>();
    for (Stay stay : stays) {
      int gpus = run.fleet().nodes().get(stay.node()).gpus();
      int wide = (int) Math.min(gpus, (stay.gpuMilli() + 999) / 1000);
      if (wide == 0) {
        continue;
      }
      int place = places.computeIfAbsent(stay.job(), _ -> places.size());
      if (place == jobs.size()) {
        var job = run.jobs().get(stay.job()).job();
        jobs.add(job.id() + (job.queue().isEmpty() ? "" : " (" + job.queue() + ")"));
      }
      long[] until = busy.computeIfAbsent(stay.node(), _ -> new long[gpus]);
      ArrayNode bar = bars.addArray();
      bar.add(rows.get(stay.node())).add(lane(until, wide, stay)).add(stay.gpuMilli() / 1000.0);
      bar.add(stay.fromMillis() / 1000.0).add(stay.toMillis() / 1000.0).add(place);
    }
  }

  /// The first GPUs side by side that are free, else those that are free soonest, and takes them;
  /// which GPUs a job really got is not known.
  private static int lane(long[] until, int wide, Stay stay) {
    int lane = 0;
    long least = Long.MAX_VALUE;
    for (int i = 0; i + wide <= until.length && least > stay.fromMillis(); i++) {
      long free = Arrays.stream(until, i, i + wide).max().orElseThrow();
      lane = free < least ? i : lane;
      least = Math.min(free, least);
    }
    Arrays.fill(until, lane, lane + wide, Math.max(least, stay.toMillis()));
    return lane;
  }
}
