package dev.muster.deploy.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that choose a namespace, as kubectl has them.
final class NamespaceOptions {
  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Namespace. Default: that of the kubeconfig; with --server all namespaces.")
  private @Nullable String namespace;

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "All namespaces that you may see.")
  private boolean all;

  /// Returns the chosen namespace; empty for all.
  Optional<String> chosen(PageSource pages) {
    return all ? Optional.empty() : Optional.ofNullable(namespace).or(pages::namespace);
  }
}
