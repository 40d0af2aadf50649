package dev.muster.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Who may be stopped for whom.
 *
 * @param policy the file or folder of the PreemptionPolicy, read again when it changes; empty:
 *     nobody is stopped
 * @param plugins the folder of the jars with policies in Java that it may name; empty for none
 * @param ledger the file that gets every act of preemption as JSON Lines; empty for none
 */
public record Preempting(String policy, String plugins, String ledger) {
  /** The file or folder of the policy. */
  public Optional<Path> policyPlace() {
    return path(policy);
  }

  /** The folder of the jars. */
  public Optional<Path> pluginFolder() {
    return path(plugins);
  }

  /** The file of the ledger. */
  public Optional<Path> ledgerFile() {
    return path(ledger);
  }

  private static Optional<Path> path(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
  }
}
