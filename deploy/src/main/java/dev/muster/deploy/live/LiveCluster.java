package dev.muster.deploy.live;

import dev.muster.core.state.Policies;
import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.server.Assembly;
import dev.muster.server.kube.client.Kubeconfig;
import dev.muster.server.kube.watch.ClusterListing;
import dev.muster.simulator.live.LiveExport;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options that select a live cluster and the configuration of its Muster.
final class LiveCluster {
  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "The kubeconfig of the API server. Default: $KUBECONFIG, or ~/.kube/config, or the pod's service account.")
  private @Nullable Path kubeconfig;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description =
          "The configuration of the live server: levels of the fabric, queues, limits. Default: that of muster serve.")
  private @Nullable Path config;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  /// A cluster as read from its API server.
  ///
  /// @param header the settings of its Muster
  /// @param listing its objects
  record Seen(JournalHeader header, ClusterListing listing) {}

  /// Refuses these options if no live cluster is read.
  ///
  /// @param instead the option that selects another source
  void refuse(String instead) {
    if (kubeconfig != null || config != null) {
      String named = kubeconfig != null ? "--kubeconfig" : "--config";
      throw new ParameterException(
          spec.commandLine(),
          "%s cannot be combined with %s: no live cluster is read, and the settings come from the file."
              .formatted(named, instead));
    }
  }

  /// Returns the state of the cluster, with the policies changed as given.
  ///
  /// @throws IllegalArgumentException if no cluster is configured, or it cannot be read
  ClusterSnapshot snapshot(UnaryOperator<Policies> policies) {
    Seen seen = look();
    return ClusterSnapshot.of(seen.header(), seen.listing().facts(), policies);
  }

  /// Creates a client for the cluster. The caller closes it.
  KubernetesClient client() {
    return Kubeconfig.client(Optional.ofNullable(kubeconfig));
  }

  /// True if the configuration of its Muster was given.
  boolean isConfigured() {
    return config != null;
  }

  /// Returns the namespace that the kubeconfig names.
  String namespace() {
    try (KubernetesClient client = client()) {
      return namespace(client);
    }
  }

  static String namespace(KubernetesClient client) {
    return Objects.requireNonNullElse(client.getNamespace(), "default");
  }

  /// Reads the cluster, with get and list only.
  Seen look() {
    Assembly assembly = new Assembly(configuration());
    try (KubernetesClient client = client()) {
      ClusterListing listing = ClusterListing.read(client, assembly.kube(), Instant.now());
      return new Seen(header(assembly, listing.priorities()), listing);
    }
  }

  private MusterConfiguration configuration() {
    return config == null
        ? MusterConfiguration.defaults()
        : ConfigurationLoader.load(config)
            .orThrow(problems -> new ParameterException(spec.commandLine(), problems));
  }

  private static JournalHeader header(Assembly assembly, Map<String, Integer> priorities) {
    Map<String, String> more = new TreeMap<>(assembly.kube().written());
    priorities.forEach(
        (name, value) -> more.put(LiveExport.PRIORITY_CLASS + name, value.toString()));
    return JournalHeader.of(assembly.topology(), assembly.policies(), more);
  }
}
