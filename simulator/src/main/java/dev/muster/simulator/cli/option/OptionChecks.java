package dev.muster.simulator.cli.option;

import dev.muster.simulator.baseline.PolicyName;
import dev.muster.simulator.experiment.PolicyVariant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Rejects options that would have no effect.
final class OptionChecks {
  private static final List<String> MUSTER_ONLY = List.of("--preemption", "--config", "--latency");

  private OptionChecks() {}

  /// Checks the given options against the simulated policies.
  ///
  /// @param given the options of each combination that will run; an option is refused only if no
  ///   combination uses it
  /// @throws IllegalArgumentException if one has no effect
  static void check(List<ParseResult> given, List<PolicyVariant> policies) {
    given.forEach(OptionChecks::checkLists);
    checkMusterOnly(given, policies);
    if (any(given, "--repair") && !any(given, "--mtbf") && !any(given, "--failures")) {
      throw new IllegalArgumentException("--repair has no effect without --mtbf.");
    }
    checkLosses(given, policies);
  }

  private static boolean any(List<ParseResult> given, String option) {
    return given.stream().anyMatch(result -> result.hasMatchedOption(option));
  }

  /// Rejects a list option without elements, such as a comma alone.
  static void checkLists(ParseResult given) {
    for (OptionSpec option : given.matchedOptions()) {
      boolean list = !option.splitRegex().isEmpty();
      if (list && option.getValue() instanceof Collection<?> values && values.isEmpty()) {
        throw new IllegalArgumentException(
            "%s \"%s\": the list is empty."
                .formatted(option.longestName(), String.join(" ", option.originalStringValues())));
      }
    }
  }

  private static void checkMusterOnly(List<ParseResult> given, List<PolicyVariant> policies) {
    if (policies.stream().anyMatch(policy -> policy.classic().isEmpty())) {
      return;
    }
    List<String> names = policies.stream().map(PolicyVariant::name).distinct().toList();
    for (String option : MUSTER_ONLY) {
      if (any(given, option)) {
        throw new IllegalArgumentException(
            "%s applies to the policy muster only, not to %s."
                .formatted(option, String.join(", ", names)));
      }
    }
  }

  private static void checkLosses(List<ParseResult> given, List<PolicyVariant> policies) {
    boolean someStop =
        Stream.of("--preemption", "--mtbf", "--failures", "--maintenance")
                .anyMatch(option -> any(given, option))
            || policies.stream().anyMatch(OptionChecks::preempts);
    for (String loss : List.of("--restart", "--checkpoint")) {
      if (!someStop && any(given, loss)) {
        throw new IllegalArgumentException(
            "%s has no effect: no job is stopped without --preemption, --mtbf or --maintenance."
                .formatted(loss));
      }
    }
  }

  private static boolean preempts(PolicyVariant policy) {
    return policy.classic().map(PolicyName::preempts).orElse(false);
  }
}
