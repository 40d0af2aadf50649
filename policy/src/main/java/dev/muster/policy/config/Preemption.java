package dev.muster.policy.config;

import java.nio.file.Path;
import java.util.Optional;

/// Where the preemption policy is.
///
/// @param policy the path of a policy file or of a folder of them; empty: nobody is stopped
/// @param plugins the path of a folder with jars of policies in Java; empty for none
/// @param ledger the path of a file that gets every act of preemption; empty for none
public record Preemption(String policy, String plugins, String ledger) {
  /// The policy file or folder.
  public Optional<Path> place() {
    return path(policy);
  }

  /// The folder with policies in Java.
  public Optional<Path> pluginFolder() {
    return path(plugins);
  }

  /// The file that gets every act of preemption.
  public Optional<Path> ledgerFile() {
    return path(ledger);
  }

  private static Optional<Path> path(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
  }
}
