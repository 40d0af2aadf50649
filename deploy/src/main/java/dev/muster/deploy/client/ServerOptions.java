package dev.muster.deploy.client;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options that say which Muster is asked, and as whom.
public final class ServerOptions {
  @Mixin private ServerAddress address = new ServerAddress();

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "The kubeconfig of the cluster. Default: $KUBECONFIG or ~/.kube/config.")
  private @Nullable Path kubeconfig;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  /// Connects to the Muster that is meant.
  public PageSource open() throws IOException {
    if (kubeconfig != null && address.isNamed()) {
      throw new ParameterException(
          spec.commandLine(), "--server and --kubeconfig name two servers. Give one of them.");
    }
    return address.open(Optional.ofNullable(kubeconfig));
  }
}
