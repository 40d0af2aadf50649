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

/// Reads the traces of Tiresias (Gu et al., NSDI'19) and of projects with its layout.
final class Tiresias implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.of(
          "tiresias", List.of("job_id", "num_gpu", "submit_time", "duration"), Tiresias::new);

  private final GangFactory gangFactory;

  private Tiresias(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    return Optional.of(
        JobDraft.of(
                row.needed("job_id"),
                row.positiveThousandfold("submit_time"),
                row.positiveThousandfold("duration"),
                gangFactory.ofGpus(row.atLeastOne("num_gpu")))
            .running(row.text("model_name"))
            .job());
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "Times are seconds; iterations and interval are not used.",
        "Jobs with equal model_name are runs of one work.",
        gangFactory.assumption());
  }
}
