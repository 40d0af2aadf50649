package dev.muster.policy.config;

import dev.muster.policy.file.Loaded;
import java.nio.charset.StandardCharsets;

/// Checks the problems of a configuration.
final class ExpectedRefusal {
  private ExpectedRefusal() {}

  /// All that is wrong with a `muster.yaml` of these fields; empty if nothing is.
  static String of(String fields) {
    String text = "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\n" + fields;
    return switch (ConfigurationLoader.load("muster.yaml", text.getBytes(StandardCharsets.UTF_8))) {
      case Loaded.Valid<MusterConfiguration> _ -> "";
      case Loaded.Invalid<MusterConfiguration> invalid -> invalid.render();
    };
  }
}
