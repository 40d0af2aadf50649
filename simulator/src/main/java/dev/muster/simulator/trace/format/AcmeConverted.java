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

/// Reads Acme's Kalos jobs as converted for communication simulators.
///
/// Each row is a gang of workers with their GPUs. Its run time is a number of iterations of half a
/// second.
final class AcmeConverted implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.ofWorkers(
          "acme-converted",
          List.of("job_id", "arrival_time", "num_iteration", "gpu_workers", "gpu_per_worker"),
          AcmeConverted::new);

  private static final long ITERATION_MILLIS = 500;

  private final Shapes shapes;

  private AcmeConverted(Shapes shapes) {
    this.shapes = shapes;
  }

  @Override
  public Optional<TraceJob> read(Row row) {
    long run = Math.multiplyExact(row.count("num_iteration"), ITERATION_MILLIS);
    Shapes.Need need = Shapes.Need.gpus(row.atLeastOne("gpu_per_worker"));
    return Optional.of(
        JobDraft.of(
                row.needed("job_id"),
                row.positiveThousandfold("arrival_time"),
                run,
                shapes.of(row.atLeastOne("gpu_workers"), need))
            .job());
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "An iteration lasts half a second; arrival times are seconds.",
        "CPUs, parameter servers and networking columns are not used.");
  }
}
