package dev.muster.policy.file;

import dev.muster.policy.yaml.FileProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The result of reading an admin's file: its value, or all problems in it.
///
/// @param <T> the type of the value
public sealed interface Loaded<T> {

  /// A valid file.
  ///
  /// @param value the value, with defaults filled in
  /// @param revision the first 12 hexadecimal digits of the SHA-256 of the content
  record Valid<T>(T value, String revision) implements Loaded<T> {}

  /// A file that cannot be used.
  ///
  /// @param problems at least one, in reading order; of more than 51 problems the first 50, and one
  ///   with the number of the others
  record Invalid<T>(List<FileProblem> problems) implements Loaded<T> {
    private static final int MOST = 50;

    public Invalid {
      problems = problems.stream().sorted().toList();
      if (problems.isEmpty()) {
        throw new IllegalArgumentException("An invalid file must have at least one problem.");
      }
      if (problems.size() > MOST + 1) {
        problems = first(problems);
      }
    }

    private static List<FileProblem> first(List<FileProblem> all) {
      List<FileProblem> first = new ArrayList<>(all.subList(0, MOST));
      FileProblem next = all.get(MOST);
      String more = "and %d more problems from here on.".formatted(all.size() - MOST);
      first.add(new FileProblem(next.file(), next.line(), next.column(), "", more));
      return List.copyOf(first);
    }

    /// Returns one problem per line, in reading order, without a line break at the end.
    public String render() {
      return problems.stream().map(FileProblem::render).collect(Collectors.joining("\n"));
    }
  }

  /// Returns the value of a valid file, or throws.
  ///
  /// @param refusal creates the exception for an invalid file from its problems, one per line
  default <X extends RuntimeException> T orThrow(Function<String, X> refusal) {
    return switch (this) {
      case Valid<T>(T value, String _) -> value;
      case Invalid<T> invalid -> throw refusal.apply(invalid.render());
    };
  }
}
