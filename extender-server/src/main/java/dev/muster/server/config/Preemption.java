package dev.muster.server.config;

import java.nio.file.Path;
import java.util.Optional;

/// Where the preemption policy is.
///
/// @param policy the path of a policy file or of a folder of them; empty: nobody is stopped
/// @param plugins the path of a folder with jars of policies in Java; empty for none
public record Preemption(String policy, String plugins) {
  /// The policy file or folder.
  public Optional<Path> place() {
    return path(policy);
  }

  /// The folder with policies in Java.
  public Optional<Path> pluginFolder() {
    return path(plugins);
  }

  private static Optional<Path> path(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
  }
}
