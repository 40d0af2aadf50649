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
    KubernetesClientBuilder builder = new KubernetesClientBuilder();
    return file.map(path -> builder.withConfig(Config.fromKubeconfig(path.toFile())).build())
        .orElseGet(builder::build);
  }
}
