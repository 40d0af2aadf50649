package dev.muster.deploy.policy;

import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.MalformedJournal;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.load.PolicyChecks;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The plug-in option and the loading of files, shared by the subcommands.
final class PolicyFiles {
  /// The exit code for files that are not valid, as of `muster serve --check`.
  static final int NOT_VALID = 2;

  private final Set<ExpressionFailure> failures = new LinkedHashSet<>();
  private final Set<FileProblem> problems = new LinkedHashSet<>();

  private final Map<Path, PolicySources> read = new LinkedHashMap<>();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration of the server: warns of queues that it does not have.")
  private @Nullable Path configuration;

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "A folder with jars of policies in Java that files may name.")
  private @Nullable Path folder;

  PolicyLoader loader() throws IOException {
    return new PolicyLoader(Plugins.in(Optional.ofNullable(folder)), failures::add);
  }

  /// Returns the files of the policy at a place; `-` is the standard input.
  PolicySources sources(Path place) {
    return read.computeIfAbsent(
        place, at -> isInput(at) ? PolicySources.of(System.in) : PolicySources.of(at));
  }

  /// Loads the policies at these places and runs their tests; records the problems of the others.
  List<PolicyReport.Policy> checked(List<Path> places) throws IOException {
    PolicyLoader loader = loader();
    List<PolicyReport.Policy> policies = new ArrayList<>();
    for (Path place : places) {
      value(PolicyChecks.run(sources(place), tests(place), loader))
          .map(checked -> new PolicyReport.Policy(name(place), checked))
          .ifPresent(policies::add);
    }
    return policies;
  }

  /// Returns the test files beside the policy at a place.
  private static PolicySources tests(Path place) {
    return isInput(place) ? PolicySources.NONE : PolicySources.testsOf(place);
  }

  /// Returns the name of a place in messages.
  private static String name(Path place) {
    return isInput(place) ? PolicySources.STANDARD_INPUT : place.toString();
  }

  private static boolean isInput(Path place) {
    return place.toString().equals("-");
  }

  /// Returns the warnings about the policies read so far, if these are valid.
  List<FileProblem> warnings() throws IOException {
    Optional<Set<String>> queues =
        configuration == null
            ? Optional.empty()
            : value(ConfigurationLoader.load(configuration))
                .map(known ->
                    known.queues().stream()
                        .map(entry -> entry.queue().name())
                        .collect(Collectors.toSet()))
                .filter(names -> !names.isEmpty()); // without queues, every name is one
    List<FileProblem> warnings = new ArrayList<>();
    PolicyLoader loader = loader();
    read.values().forEach(files -> warnings.addAll(loader.advice(files, queues, failures)));
    return warnings;
  }

  /// Returns the results for these policies, with all problems and warnings.
  PolicyReport report(List<PolicyReport.Policy> policies) throws IOException {
    List<FileProblem> warnings = warnings(); // reads the configuration, which may have problems
    return new PolicyReport(policies, List.copyOf(problems), warnings);
  }

  /// Returns the value; empty if it is not valid, with its problems recorded.
  <T> Optional<T> value(Loaded<T> loaded) {
    return switch (loaded) {
      case Loaded.Valid<T>(T value, String _) -> Optional.of(value);
      case Loaded.Invalid<T>(List<FileProblem> found) -> {
        problems.addAll(found);
        yield Optional.empty();
      }
    };
  }

  /// Reads the cluster in a file; empty if it cannot be read, with its problem recorded.
  Optional<ClusterSnapshot> cluster(Path file) throws IOException {
    try {
      return Optional.of(ClusterSnapshot.read(file));
    } catch (MalformedJournal bad) {
      problems.add(bad.problem());
      return Optional.empty();
    }
  }

  /// True if no problem was recorded.
  boolean areValid() {
    return problems.isEmpty();
  }

  /// Prints all recorded problems and warnings.
  ///
  /// @return the exit code, if something was not valid
  Optional<Integer> complain(PrintWriter err) throws IOException {
    List<FileProblem> warnings = warnings();
    problems.forEach(problem -> err.println(problem.render()));
    warnings.forEach(warning -> err.println("Warning: " + warning.render()));
    return areValid() ? Optional.empty() : Optional.of(NOT_VALID);
  }
}
