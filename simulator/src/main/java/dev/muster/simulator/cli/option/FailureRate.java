package dev.muster.simulator.cli.option;

import dev.muster.simulator.experiment.Assumptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The option `--failures` of commands that try one rate of failures.
public final class FailureRate {
  @Option(
      names = "--failures",
      paramLabel = "RATE",
      description =
          "Failures of nodes, for example 1/1000gpu-days: one in a thousand days of a GPU."
              + " Default: --mtbf.")
  private @Nullable String failures;

  /// Returns the assumptions with these failures.
  public Assumptions in(Assumptions given) {
    if (failures == null) {
      return given;
    }
    if (given.outages().mtbf().isPresent()) {
      throw new IllegalArgumentException("--mtbf and --failures exclude each other.");
    }
    return given.with(NodeFailures.of("--failures", failures).in(given.outages()));
  }
}
