package dev.muster.simulator.trace.format;

import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.trace.CsvFormat;
import dev.muster.simulator.trace.GangFactory;
import dev.muster.simulator.trace.JobDraft;
import dev.muster.simulator.trace.RowReader;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Optional;

/// Reads the logs of the Acme clusters Seren and Kalos (2023, Hu et al., NSDI'24), as published.
final class Acme implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.of(
          "acme",
          List.of(
              "job_id",
              "user",
              "node_num",
              "gpu_num",
              "type",
              "state",
              "submit_time",
              "start_time",
              "end_time"),
          Acme::new);

  private final GangFactory gangFactory;
  private long withoutGpu;
  private long unstarted;

  private Acme(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    int gpus = row.small("gpu_num");
    if (gpus == 0) {
      withoutGpu++;
      return Optional.empty();
    }
    Optional<Long> start = row.clock("start_time");
    Optional<Long> end = row.clock("end_time");
    if (start.isEmpty() || end.isEmpty()) {
      unstarted++;
      return Optional.empty();
    }
    if (end.get() < start.get()) {
      throw row.fault("end_time", row.text("end_time") + " is before start_time.");
    }
    return Optional.of(
        JobDraft.of(
                row.needed("job_id"),
                row.neededClock("submit_time"),
                end.get() - start.get(),
                gangFactory.ofGpus(gpus))
            .by(row.text("user"))
            .in(row.text("type"))
            .job());
  }

  @Override
  public boolean isClock() {
    return true;
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "%d jobs without GPUs and %d that never started or never ended were left out."
            .formatted(withoutGpu, unstarted),
        "The run time is end_time - start_time, because duration includes the queueing in Kalos;"
            + " the type of a job is its queue.",
        "CPUs and memory are not used. " + gangFactory.assumption());
  }
}
