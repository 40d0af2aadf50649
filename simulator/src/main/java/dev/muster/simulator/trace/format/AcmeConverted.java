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

  private final GangFactory gangFactory;

  private AcmeConverted(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    long run = Math.multiplyExact(row.count("num_iteration"), ITERATION_MILLIS);
    GangFactory.Need need = GangFactory.Need.gpus(row.atLeastOne("gpu_per_worker"));
    return Optional.of(
        JobDraft.of(
                row.needed("job_id"),
                row.positiveThousandfold("arrival_time"),
                run,
                gangFactory.of(row.atLeastOne("gpu_workers"), need))
            .job());
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "An iteration lasts half a second; arrival times are seconds.",
        "CPUs, parameter servers and networking columns are not used.");
  }
}
