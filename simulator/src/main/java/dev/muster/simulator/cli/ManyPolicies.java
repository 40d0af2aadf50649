package dev.muster.simulator.cli;

import dev.muster.simulator.experiment.Variant;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// Who decides, and on what, where a command tries each of several policies on each of several
/// fleets.
final class ManyPolicies {
  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "FLEET",
      description = "Fleet: a file, or a short form like 12x8. Repeatable.")
  private List<String> clusters = List.of();

  @Option(
      names = "--policy",
      split = ",",
      defaultValue = Variant.MUSTER,
      paramLabel = "NAME[/PLACEMENT]",
      description =
          "Policies, for example fifo-strict/best-fit,easy,muster. Default: ${DEFAULT-VALUE}.")
  private List<String> policies = List.of();

  List<Fleet> fleets() {
    return clusters.stream().distinct().map(Fleets::of).toList();
  }

  /// As they were written, each once.
  List<String> names() {
    return policies.stream().distinct().toList();
  }

  /// @throws IllegalArgumentException if there is no such policy or placement
  List<Variant> variants() {
    return names().stream().map(ManyPolicies::variant).toList();
  }

  /// The policy written `fifo-strict` or `fifo-strict/best-fit`.
  static Variant variant(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? Variant.of(text, Optional.empty())
        : Variant.of(text.substring(0, slash), Optional.of(text.substring(slash + 1)));
  }
}
