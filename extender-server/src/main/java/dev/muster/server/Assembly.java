package dev.muster.server;

import dev.muster.core.drive.Journal;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Interconnect;
import dev.muster.core.topology.LevelBandwidths;
import dev.muster.core.topology.Locality;
import dev.muster.core.topology.Topology;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.policy.config.ServerFields;
import dev.muster.server.http.HttpDependencies;
import dev.muster.server.http.ListenOptions;
import dev.muster.server.http.ServerMetrics;
import dev.muster.server.http.WebhookOptions;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.tracing.GangTracing;
import dev.muster.server.usage.UsageBook;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Maps the configuration file to the settings of each part of the server.
///
/// @param configuration the configuration as the admin wrote it
public record Assembly(MusterConfiguration configuration) {
  MusterServer.Settings settings(
      Journal journal,
      PreemptionPolicy preemption,
      UsageBook usage,
      BiConsumer<Step, Duration> watcher) {
    return new MusterServer.Settings(
        kube(), topology(), policies(), journal, preemption, usage, watcher);
  }

  /// Returns the settings for reading the cluster.
  public KubeSettings kube() {
    return new KubeSettings(
        configuration.accelerators(),
        Set.copyOf(configuration.schedulerNames()),
        Set.copyOf(configuration.health().faultConditions()),
        configuration.resync(),
        configuration.owners(),
        configuration.gangs().hold());
  }

  /// Returns the policies of the engine, except the preemption policy.
  public Policies policies() {
    return configuration.policies();
  }

  /// Returns the topology levels of the network and the additional links.
  public Topology topology() {
    Topology topology = new Topology(configuration.topology().levels());
    Map<String, Long> known = new TreeMap<>();
    for (var level : configuration.topology().listed()) {
      level.megabitsPerSecond().ifPresent(mbps -> known.put(level.level().name(), mbps));
    }
    return topology.with(
        new Locality(
            LevelBandwidths.of(topology, known),
            new Interconnect(configuration.topology().links())));
  }

  HttpDependencies parts(
      MusterServer muster, ServerMetrics metrics, Supplier<PreemptionPolicy> preemption) {
    Policies policies = policies();
    return new HttpDependencies(
            muster.state(),
            () -> policies.with(preemption.get()),
            new PodScope(
                Set.copyOf(configuration.accelerators()),
                Set.copyOf(configuration.schedulerNames()),
                muster::ownerGang),
            new WebhookOptions(
                    configuration.gating().gate(),
                    configuration.gating().hideGpus(),
                    configuration.gating().ownVisibleDevices(),
                    muster::namespaceLabels,
                    muster::claimsGpus)
                .keeping(muster::hold),
            metrics,
            muster::isReady)
        .standingBy(muster::isAvailable)
        .asking(muster::asked);
  }

  /// Opens the way to the receiver of traces. Without one, no class of OpenTelemetry is loaded.
  ///
  /// @param release version of the program
  /// @param instance name of the pod or process
  @Nullable GangTracing tracing(String release, String instance) {
    return configuration
        .tracing()
        .receiver()
        .map(receiver -> GangTracing.open(receiver, new GangTracing.Service(release, instance)))
        .orElse(null);
  }

  /// Returns the rule for callers of the pages.
  PageAccess access(PageAccess reviewed) {
    return switch (configuration.server().apiAccess()) {
      case REVIEWED -> reviewed;
      case OPEN -> PageAccess.open(configuration.server().host());
    };
  }

  ListenOptions listen() {
    ServerFields server = configuration.server();
    Optional<ListenOptions.Tls> tls =
        server
            .tls()
            .map(t ->
                new ListenOptions.Tls(
                    Path.of(t.certFile()),
                    Path.of(t.keyFile()),
                    t.port(),
                    t.clientAuthority().map(Path::of)));
    return new ListenOptions(
        server.host(),
        server.port(),
        server.maxBody().bytes(),
        tls,
        OptionalInt.of(server.probePort()));
  }
}
