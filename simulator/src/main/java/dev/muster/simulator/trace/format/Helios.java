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

/// Reads the logs of SenseTime's Helios clusters (2020, Hu et al., SC'21).
final class Helios implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.of(
          "helios",
          List.of(
              "job_id", "user", "vc", "gpu_num", "node_num", "state", "submit_time", "duration"),
          Helios::new);

  private final GangFactory gangFactory;
  private long withoutGpu;

  private Helios(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    int gpus = row.small("gpu_num");
    if (gpus == 0) {
      withoutGpu++;
      return Optional.empty();
    }
    long run = row.positiveThousandfold("duration");
    return Optional.of(
        JobDraft.of(
                row.needed("job_id"), row.neededClock("submit_time"), run, gangFactory.ofGpus(gpus))
            .by(row.text("user"))
            .in(row.text("vc"))
            .job());
  }

  @Override
  public boolean isClock() {
    return true;
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "%d jobs without GPUs were left out.".formatted(withoutGpu),
        "The virtual cluster is the queue; run times are seconds; jobs of every final state are"
            + " kept.",
        "CPUs and the number of allocated nodes are not used. " + gangFactory.assumption());
  }
}
