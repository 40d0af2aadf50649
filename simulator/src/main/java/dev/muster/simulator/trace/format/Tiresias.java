package dev.muster.simulator.trace.format;

import dev.muster.simulator.file.Row;
import dev.muster.simulator.trace.CsvFormat;
import dev.muster.simulator.trace.JobDraft;
import dev.muster.simulator.trace.RowReader;
import dev.muster.simulator.trace.Shapes;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Optional;

/// Reads the traces of Tiresias (Gu et al., NSDI'19) and of projects with its layout.
final class Tiresias implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.of(
          "tiresias", List.of("job_id", "num_gpu", "submit_time", "duration"), Tiresias::new);

  private final Shapes shapes;

  private Tiresias(Shapes shapes) {
    this.shapes = shapes;
  }

  @Override
  public Optional<TraceJob> read(Row row) {
    return Optional.of(
        JobDraft.of(
                row.needed("job_id"),
                row.positiveThousandfold("submit_time"),
                row.positiveThousandfold("duration"),
                shapes.ofGpus(row.atLeastOne("num_gpu")))
            .running(row.text("model_name"))
            .job());
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "Times are seconds; iterations and interval are not used.",
        "Jobs with equal model_name are runs of one work.",
        shapes.assumption());
  }
}
