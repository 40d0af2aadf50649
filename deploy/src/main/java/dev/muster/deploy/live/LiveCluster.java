package dev.muster.deploy.live;

import dev.muster.core.cluster.Event;
import dev.muster.core.state.Policies;
import dev.muster.deploy.client.PageProblem;
import dev.muster.deploy.client.PageSource;
import dev.muster.deploy.client.ServerAddress;
import dev.muster.policy.config.Budget;
import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.server.Assembly;
import dev.muster.server.kube.client.Kubeconfig;
import dev.muster.server.kube.watch.ClusterListing;
import dev.muster.simulator.live.LiveExport;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/// The options that select a live cluster, its Muster and the configuration of this Muster.
final class LiveCluster {
  /// Number of selections of GPUs of which it is said why they are not counted.
  private static final int MOST_LINES = 10;

  private static final List<String> OPTIONS =
      List.of(
          "--kubeconfig",
          "--config",
          "--server",
          "--token-file",
          "--certificate-authority",
          "--service");

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

  @Mixin private ServerAddress server = new ServerAddress();

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  /// A cluster as read from its API server.
  ///
  /// @param header the settings of its Muster
  /// @param listing its objects
  /// @param budgets budgets that are used up
  record Seen(JournalHeader header, ClusterListing listing, LiveBudgets budgets) {
    /// Returns the state of the cluster, with the policies changed as given.
    ClusterSnapshot snapshot(UnaryOperator<Policies> policies) {
      return ClusterSnapshot.of(header, facts(), policies);
    }

    /// Prints what the facts do not count: selections of GPUs, and budgets.
    void warn(PrintWriter err) {
      List<String> selections = listing.uncounted();
      selections.stream().limit(MOST_LINES).forEach(err::println);
      if (selections.size() > MOST_LINES) {
        err.printf("%d more selections are not counted.%n", selections.size() - MOST_LINES);
      }
      budgets.print(err);
    }

    /// Returns the facts about its objects and budgets.
    List<Event> facts() {
      List<Event> facts = new ArrayList<>(listing.facts());
      budgets.event().ifPresent(facts::add);
      return facts;
    }
  }

  /// Refuses these options if no live cluster is read.
  ///
  /// @param instead the option that selects another source
  void refuse(String instead) {
    ParseResult given = spec.commandLine().getParseResult();
    for (String option : OPTIONS) {
      if (given.hasMatchedOption(option)) {
        throw new ParameterException(
            spec.commandLine(),
            "%s cannot be combined with %s: no live cluster is read, and the settings come from the file."
                .formatted(option, instead));
      }
    }
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

  /// Reads the cluster, with get and list only, and asks its Muster for the budgets.
  ///
  /// @throws IllegalArgumentException if no cluster is configured, or it cannot be read
  /// @throws IOException if a file that an option names cannot be read
  Seen look() throws IOException {
    MusterConfiguration configuration = configuration();
    Assembly assembly = new Assembly(configuration);
    Instant now = Instant.now();
    ClusterListing listing;
    try (KubernetesClient client = client()) {
      listing = ClusterListing.read(client, assembly.kube(), now);
    }
    return new Seen(header(assembly, listing.priorities()), listing, budgets(configuration, now));
  }

  /// Asks Muster, unless the given configuration has no budget that keeps gangs from starting.
  private LiveBudgets budgets(MusterConfiguration configuration, Instant now) throws IOException {
    boolean holds =
        configuration.budgets().stream()
            .anyMatch(budget -> budget.onExceeded() == Budget.OnExceeded.HOLD);
    if (isConfigured() && !holds) {
      return LiveBudgets.NONE;
    }
    try (PageSource pages = server.open(Optional.ofNullable(kubeconfig))) {
      return LiveBudgets.read(pages, now);
    } catch (PageProblem problem) {
      return LiveBudgets.unknown(problem);
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
