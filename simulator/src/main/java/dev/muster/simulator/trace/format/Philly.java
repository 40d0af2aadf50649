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

/// Reads Microsoft's Philly jobs (2017, Jeon et al., USENIX ATC'19) as one table.
///
/// The Pollux and Sia simulators use this form. A row has submission, run time, GPUs and virtual
/// cluster.
final class Philly implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.of("philly", List.of("timestamp", "duration", "num_gpus"), Philly::new);

  private final GangFactory gangFactory;

  private Philly(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    GangFactory.Shape shape = gangFactory.ofGpus(row.atLeastOne("num_gpus"));
    long run = row.positiveThousandfold("duration");
    return Optional.of(
        JobDraft.of("philly-" + (row.line() - 1), row.neededClock("timestamp"), run, shape)
            .in(row.text("cluster"))
            .job());
  }

  @Override
  public boolean isClock() {
    return true;
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "Jobs have no names: they are called philly-1 and so on, in the order of the rows.",
        "The virtual cluster is the queue; run times are seconds.",
        gangFactory.assumption());
  }
}
