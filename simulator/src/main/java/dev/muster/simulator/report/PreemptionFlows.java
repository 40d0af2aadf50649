package dev.muster.simulator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.simulator.run.record.EvictionRecord;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.SizeClass;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Counts of stopped jobs by preemptor and victim, with the lost GPU time.
///
/// Jobs are grouped by queue, priority or size.
final class PreemptionFlows {
  private static final int MOST_NAMES = 10;
  private static final String OTHERS = "(others)";

  private final RunResult run;
  private final Function<JobOutcome, String> name;

  private PreemptionFlows(RunResult run, Function<JobOutcome, String> name) {
    this.run = run;
    this.name = name;
  }

  /// Returns the flows by queue, by priority and by size, each as a list with the most stops first.
  static ObjectNode of(RunResult run) {
    ObjectNode flows = ResultFiles.JSON.createObjectNode();
    flows.set("queue", new PreemptionFlows(run, job -> job.job().queue()).list());
    flows.set(
        "priority", new PreemptionFlows(run, job -> String.valueOf(job.job().priority())).list());
    flows.set("size", new PreemptionFlows(run, SizeClass::of).list());
    return flows;
  }

  /// The groups of the preemptor and of the victim.
  private record Way(String by, String of) {}

  /// The number of stops and the lost GPU time of one flow.
  private record Sum(long stops, long lostGpuMillis) {
    Sum and(Sum other) {
      return new Sum(stops + other.stops, lostGpuMillis + other.lostGpuMillis);
    }
  }

  private ArrayNode list() {
    Set<String> stoppers = often(this::by);
    Set<String> stopped = often(this::of);
    Map<Way, Sum> sums = new HashMap<>();
    for (EvictionRecord stop : run.stops()) {
      Way way = new Way(shown(by(stop), stoppers), shown(of(stop), stopped));
      sums.merge(way, new Sum(1, stop.lostGpuMillis()), Sum::and);
    }
    ArrayNode list = ResultFiles.JSON.createArrayNode();
    sums.entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<Way, Sum>>comparingLong(each -> -each.getValue().stops())
                .thenComparing(each -> each.getKey().by())
                .thenComparing(each -> each.getKey().of()))
        .forEach(each ->
            list.addObject()
                .put("by", each.getKey().by())
                .put("of", each.getKey().of())
                .put("stops", each.getValue().stops())
                .put(
                    "lost_gpu_hours",
                    ReportData.short4(each.getValue().lostGpuMillis() / JobGroup.HOUR_MILLIS)));
    return list;
  }

  private String by(EvictionRecord stop) {
    return switch (stop.by()) {
      case EvictionRecord.NOBODY -> "(no single job)";
      case EvictionRecord.NODE -> "(lost node)";
      default -> called(run.jobs().get(stop.by()));
    };
  }

  private String of(EvictionRecord stop) {
    return called(run.jobs().get(stop.job()));
  }

  private String called(JobOutcome job) {
    String called = name.apply(job);
    return called.isEmpty() ? "(none)" : called;
  }

  private static String shown(String called, Set<String> often) {
    return often.contains(called) ? called : OTHERS;
  }

  /// Returns the names with the most stops, at most ten.
  private Set<String> often(Function<EvictionRecord, String> side) {
    Map<String, Long> counts =
        run.stops().stream()
            .collect(Collectors.groupingBy(side, TreeMap::new, Collectors.counting()));
    List<Map.Entry<String, Long>> most =
        counts.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(MOST_NAMES)
            .toList();
    return most.stream().map(Map.Entry::getKey).collect(Collectors.toSet());
  }
}
