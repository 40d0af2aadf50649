package dev.muster.policy.fuzz;

import dev.muster.policy.config.ConfigurationLoader;

/// Fuzz target: `muster.yaml`. Every input is a configuration, or has problems.
public final class ConfigurationFuzz {
  private ConfigurationFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    var _ = ConfigurationLoader.load("muster.yaml", input);
  }
}
