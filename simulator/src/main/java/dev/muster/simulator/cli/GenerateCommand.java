package dev.muster.simulator.cli;

import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.generate.FeasibleSizes;
import dev.muster.simulator.generate.SyntheticTrace;
import dev.muster.simulator.generate.WeightedChoice;
import dev.muster.simulator.generate.WorkloadModel;
import dev.muster.simulator.trace.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command `muster simulate generate`: writes a synthetic trace in Muster's own format.
@Command(
    name = "generate",
    description = "Generates a synthetic trace.",
    mixinStandardHelpOptions = true)
final class GenerateCommand implements Callable<Integer> {
  private static final String USUAL_SIZES = "1:55,2:12,4:10,8:16,16:4,32:2,64:1";

  @Option(
      names = "--jobs",
      defaultValue = "10000",
      paramLabel = "N",
      description = "Number of jobs. Default: ${DEFAULT-VALUE}.")
  private long jobs;

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "FLEET",
      description = "Fleet that --load refers to: a file, or a short form like 12x8.")
  private String cluster = "";

  @Option(
      names = "--load",
      defaultValue = "0.9",
      paramLabel = "SHARE",
      description = "Offered load as a share of the GPUs of the fleet. Default: ${DEFAULT-VALUE}.")
  private double load;

  @Option(
      names = "--sizes",
      paramLabel = "GPUS:WEIGHT,...",
      description =
          "Numbers of GPUs per job with their weights. Default: "
              + USUAL_SIZES
              + ", limited to sizes that fit the fleet.")
  private @Nullable String sizes;

  @Option(
      names = "--median",
      defaultValue = "30m",
      paramLabel = "TIME",
      description = "Median run time; run times are lognormal. Default: ${DEFAULT-VALUE}.")
  private Duration median = Duration.ZERO;

  @Option(
      names = "--sigma",
      defaultValue = "1.5",
      paramLabel = "X",
      description = "Standard deviation of the logarithm of run times. Default: ${DEFAULT-VALUE}.")
  private double sigma;

  @Option(
      names = "--diurnal",
      defaultValue = "0",
      paramLabel = "SHARE",
      description = "Amplitude of the daily cycle of arrivals, 0 to 1. Default: ${DEFAULT-VALUE}.")
  private double diurnal;

  @Option(
      names = "--queues",
      defaultValue = "default",
      paramLabel = "NAME:WEIGHT,...",
      description = "Queues with their weights. Default: ${DEFAULT-VALUE}.")
  private String queues = "";

  @Option(
      names = "--gpus-per-worker",
      defaultValue = "8",
      paramLabel = "N",
      description = "Maximum GPUs per worker. Default: ${DEFAULT-VALUE}.")
  private int perWorker;

  @Option(
      names = "--seed",
      defaultValue = "42",
      paramLabel = "N",
      description = "Random seed. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "FILE",
      description = "Trace file to write; compressed if the name ends in .gz.")
  private Path out = Path.of("trace.jsonl");

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException {
    Fleet fleet = Fleets.of(cluster);
    FeasibleSizes possible =
        FeasibleSizes.of(fleet, Math.max(1, perWorker)); // values below 1 are rejected below
    WorkloadModel model =
        new WorkloadModel(
            jobs,
            fleet.gpus(),
            load,
            sizes == null
                ? possible.among(WeightedChoice.parse(USUAL_SIZES))
                : WeightedChoice.parse(sizes),
            median,
            sigma,
            diurnal,
            WeightedChoice.parse(queues),
            perWorker,
            seed);
    possible.check(model.sizes());
    ResultFolder.spare(spec, out);
    try (InterruptHandler interrupt = new InterruptHandler()) {
      AtomicLong written = new AtomicLong();
      AtomicFiles.write(out, half -> written.set(write(model, half, interrupt)));
      interrupt.report(
          "%s is valid but has only the first %,d of %,d jobs."
              .formatted(out, written.get(), jobs));
    }
    return 0;
  }

  private static long write(WorkloadModel model, Path file, BooleanSupplier goesOn)
      throws IOException {
    long written = 0;
    try (SyntheticTrace trace = new SyntheticTrace(model);
        TraceWriter writer = new TraceWriter(file, trace.start(), trace.assumptions())) {
      for (; trace.hasNext() && goesOn.getAsBoolean(); written++) {
        writer.write(trace.next());
      }
    }
    return written;
  }
}
