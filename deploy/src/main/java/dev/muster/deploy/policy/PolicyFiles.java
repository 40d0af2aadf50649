package dev.muster.deploy.policy;

import dev.muster.policy.file.Loaded;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.MalformedJournal;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The plug-in option and the loading of files, shared by the subcommands.
final class PolicyFiles {
  /// The exit code for files that are not valid, as of `muster serve --check`.
  static final int NOT_VALID = 2;

  private final Set<ExpressionFailure> failures = new LinkedHashSet<>();
  private final List<FileProblem> problems = new ArrayList<>();

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "A folder with jars of policies in Java that files may name.")
  private @Nullable Path folder;

  PolicyLoader loader() throws IOException {
    return new PolicyLoader(Plugins.in(Optional.ofNullable(folder)), failures::add);
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
  Optional<Integer> complain(PrintWriter err) {
    problems.forEach(problem -> err.println(problem.render()));
    for (ExpressionFailure failure : failures) {
      err.println(
          "Warning: %s: the expression %s failed: %s."
              .formatted(failure.rule(), failure.expression(), failure.reason()));
    }
    return areValid() ? Optional.empty() : Optional.of(NOT_VALID);
  }
}
