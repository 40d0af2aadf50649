package dev.muster.simulator.cli.option;

import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// Options of commands that try several policies on several fleets.
public final class ComparedPolicies {
  /// The largest number of nodes of all fleets, which are in memory at the same time.
  private static final int MOST_NODES = 1_000_000;

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "FLEET",
      description = "Fleet: a file, or a short form like 12x8. Repeatable.")
  private List<String> clusters = List.of();

  @Option(
      names = "--policy",
      split = ",",
      defaultValue = PolicyVariant.MUSTER,
      paramLabel = "NAME[/PLACEMENT]",
      description =
          "Policies, for example fifo-strict/best-fit,easy,muster. Default: ${DEFAULT-VALUE}.")
  private List<String> policies = List.of();

  /// Returns the fleets.
  ///
  /// @throws IllegalArgumentException if a fleet cannot be read, or they are too large together
  public List<Fleet> fleets() {
    List<Fleet> fleets = new ArrayList<>();
    int nodes = 0;
    for (String cluster : clusters.stream().distinct().toList()) {
      Fleet fleet = Fleets.of(cluster);
      nodes += fleet.nodes().size();
      if (nodes > MOST_NODES) {
        throw new IllegalArgumentException(
            "--cluster: more than %,d nodes in all fleets together, the maximum."
                .formatted(MOST_NODES));
      }
      fleets.add(fleet);
    }
    return fleets;
  }

  /// Returns the policies in the order and form of the command line, without repetitions.
  public List<String> names() {
    return policies.stream().distinct().toList();
  }

  /// Returns the variants of the policies.
  ///
  /// @throws IllegalArgumentException if a policy or placement is unknown
  public List<PolicyVariant> variants() {
    return names().stream().map(ComparedPolicies::variant).toList();
  }

  /// Parses a policy of the form `fifo-strict` or `fifo-strict/best-fit`.
  public static PolicyVariant variant(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? PolicyVariant.of(text, Optional.empty())
        : PolicyVariant.of(text.substring(0, slash), Optional.of(text.substring(slash + 1)));
  }
}
