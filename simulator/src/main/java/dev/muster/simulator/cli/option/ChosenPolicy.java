package dev.muster.simulator.cli.option;

import dev.muster.simulator.experiment.PolicyVariant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Options of commands that try one policy.
public final class ChosenPolicy {
  @Option(
      names = "--policy",
      defaultValue = PolicyVariant.MUSTER,
      paramLabel = "NAME",
      description = "Scheduling policy: muster or a classic one. Default: ${DEFAULT-VALUE}.")
  private String policy = PolicyVariant.MUSTER;

  @Option(
      names = "--placement",
      paramLabel = "NAME",
      description = "Placement of a classic policy. Default: as published.")
  private @Nullable String placement;

  @Option(
      names = "--seed",
      defaultValue = "42",
      paramLabel = "N",
      description = "Seed for node failures. Default: ${DEFAULT-VALUE}.")
  private long seed;

  /// Returns the variant of the policy.
  ///
  /// @throws IllegalArgumentException if the policy or placement is unknown, or there are several
  public PolicyVariant variant() {
    if (policy.contains(",")) {
      throw new IllegalArgumentException(
          "--policy %s: only one policy is allowed here. Use `muster simulate compare` for several."
              .formatted(policy));
    }
    return PolicyVariant.of(policy, Optional.ofNullable(placement));
  }

  public long seed() {
    return seed;
  }
}
