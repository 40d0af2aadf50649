package dev.muster.simulator.trace.format;

import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.trace.CsvFormat;
import dev.muster.simulator.trace.GangFactory;
import dev.muster.simulator.trace.JobDraft;
import dev.muster.simulator.trace.RowReader;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/// Reads Alibaba's trace of disaggregated recommendation services (2025, Yang et al., NSDI'25).
///
/// Each row is one instance of a service.
final class Dlrm2025 implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.ofWorkers(
          "alibaba-v2025",
          List.of(
              "instance_sn",
              "role",
              "app_name",
              "cpu_request",
              "gpu_request",
              "memory_request",
              "creation_time",
              "deletion_time"),
          Dlrm2025::new);

  private final GangFactory gangFactory;

  /// The starts of jobs without an end time.
  private final IdentityHashMap<TraceJob, Long> open = new IdentityHashMap<>();

  private long latest;
  private long unended;

  private Dlrm2025(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    long submit = row.maybeThousandfold("creation_time").orElse(0L);
    Optional<Long> end = row.maybeThousandfold("deletion_time");
    long begin = row.maybeThousandfold("scheduled_time").orElse(submit);
    long run = end.orElse(begin) - begin;
    if (run < 0) {
      throw row.fault("deletion_time", row.text("deletion_time") + " is before the start.");
    }
    GangFactory.Need need =
        new GangFactory.Need(
            1000 * row.count("gpu_request"),
            row.positiveThousandfold("cpu_request"),
            row.gibibytes("memory_request"));
    TraceJob job =
        JobDraft.of(row.needed("instance_sn"), submit, run, gangFactory.of(1, need))
            .in(row.text("app_name"))
            .job();
    if (end.isEmpty()) {
      open.put(job, begin);
    }
    latest = Math.max(latest, Math.max(Math.max(submit, begin), end.orElse(0L))); // good rows only
    return Optional.of(job);
  }

  /// Ends instances without an end time at the end of the trace.
  @Override
  public List<TraceJob> completed(List<TraceJob> jobs) {
    List<TraceJob> ended = new ArrayList<>(jobs.size());
    for (TraceJob job : jobs) {
      Long begin = open.get(job);
      unended += begin == null ? 0 : 1;
      ended.add(begin == null ? job : job.running(latest - begin));
    }
    return ended;
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "Every instance is a separate job; its app_name is the queue; times are seconds.",
        "An instance without creation_time is submitted at 0; the %d without deletion_time run to the end of the trace."
            .formatted(unended),
        "RDMA, disk and max_instance_per_node are not used.");
  }
}
