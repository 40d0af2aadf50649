package dev.muster.simulator.cli.option;

import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.trace.TraceOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Options of the trace file and its format.
final class TraceChoice {
  @Option(
      names = "--trace",
      required = true,
      paramLabel = "FILE",
      description = "Trace file, in any format listed in docs/simulator.md, plain or gzip.")
  private Path trace = Path.of("");

  @Option(names = "--format", paramLabel = "NAME", description = "Trace format. Default: detected.")
  private @Nullable String format;

  @Option(names = "--skip-bad", description = "Skips rows that cannot be read.")
  private boolean skipBad;

  @Option(
      names = "--gpus-per-worker",
      paramLabel = "N",
      description =
          "Maximum GPUs per worker, for formats that have only the GPUs of a whole job. Default: depends on the format.")
  private @Nullable Integer gpusPerWorker;

  Path file() {
    return trace;
  }

  TraceOptions options() {
    OptionalInt most = gpusPerWorker == null ? OptionalInt.empty() : OptionalInt.of(gpusPerWorker);
    return new TraceOptions(Optional.ofNullable(format), skipBad, most);
  }

  TraceSource source() {
    return TraceSource.of(trace, options());
  }
}
