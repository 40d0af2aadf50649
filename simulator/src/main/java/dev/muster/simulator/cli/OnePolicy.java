package dev.muster.simulator.cli;

import dev.muster.simulator.experiment.Variant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Who decides, where a command tries one policy.
final class OnePolicy {
  @Option(
      names = "--policy",
      defaultValue = Variant.MUSTER,
      paramLabel = "NAME",
      description = "Who decides: muster, or a classic policy. Default: ${DEFAULT-VALUE}.")
  private String policy = Variant.MUSTER;

  @Option(
      names = "--placement",
      paramLabel = "NAME",
      description = "Where a classic policy takes GPUs from. Default: as it was published.")
  private @Nullable String placement;

  @Option(
      names = "--seed",
      defaultValue = "42",
      paramLabel = "N",
      description = "What failures are drawn from. Default: ${DEFAULT-VALUE}.")
  private long seed;

  /// @throws IllegalArgumentException if there is no such policy or placement, or there are several
  Variant variant() {
    if (policy.contains(",")) {
      throw new IllegalArgumentException(
          "--policy %s names several policies, and one decides here. Maybe you meant `muster simulate compare`."
              .formatted(policy));
    }
    return Variant.of(policy, Optional.ofNullable(placement));
  }

  long seed() {
    return seed;
  }
}
