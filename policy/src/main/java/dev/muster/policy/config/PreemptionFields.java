package dev.muster.policy.config;

import java.nio.file.Path;
import java.util.Optional;

/// Locations of the preemption policy, its plugins and its ledger.
///
/// @param policy path of a policy file or of a folder of policy files; if empty, nothing is
///   preempted
/// @param plugins path of a folder with jars of policies in Java; empty for none
/// @param ledger path of a file that receives every preemption action; empty for none
public record PreemptionFields(String policy, String plugins, String ledger) {
  /// Returns the policy file or folder.
  public Optional<Path> place() {
    return path(policy);
  }

  /// Returns the folder with jars of policies in Java.
  public Optional<Path> pluginFolder() {
    return path(plugins);
  }

  /// Returns the file that receives every preemption action.
  public Optional<Path> ledgerFile() {
    return path(ledger);
  }

  private static Optional<Path> path(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
  }
}
