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

/// Reads the traces of Muri (Zhao et al., SIGCOMM'22): Philly virtual clusters with models
/// assigned.
final class Muri implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.of(
          "muri",
          List.of("job_id", "num_gpu", "submit_time", "iterations", "iteration_time"),
          Muri::new);

  private final GangFactory gangFactory;

  private Muri(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    long work = Math.multiplyExact(row.count("iterations"), row.count("iteration_time"));
    return Optional.of(
        JobDraft.of(
                row.needed("job_id"),
                row.count("submit_time"),
                (Math.multiplyExact(work, 1015) + 500) / 1000,
                gangFactory.ofGpus(row.atLeastOne("num_gpu")))
            .running(row.text("model_name"))
            .job());
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "Times are milliseconds; a job runs for iterations x iteration_time x 1.015, as in the"
            + " authors' simulator; the column duration is not used.",
        "Jobs with equal model_name are runs of one work; priority and resource times are not used.",
        gangFactory.assumption());
  }
}
