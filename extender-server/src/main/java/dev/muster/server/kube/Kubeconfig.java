package dev.muster.server.kube;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.util.Optional;

/// How the API server is reached.
public final class Kubeconfig {
  private Kubeconfig() {}

  /// A client as the file says; without one: as the pod's service account, `$KUBECONFIG` or
  /// `~/.kube/config` says. To be closed.
  public static KubernetesClient client(Optional<Path> file) {
    Config config =
        file.map(path -> Config.fromKubeconfig(path.toFile()))
            .orElseGet(() -> Config.autoConfigure(null));
    // Of HTTP/2 there is one connection for all: when that dies without a word every call waits for
    // its timeout, for a quarter of an hour. A connection of HTTP/1.1 is given up with the call.
    config.setHttp2Disable(true);
    return new KubernetesClientBuilder().withConfig(config).build();
  }
}
