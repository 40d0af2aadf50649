package dev.muster.policy.file;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What came of reading an admin's file: its value, or everything that is wrong with it.
///
/// @param <T> what the file describes
public sealed interface Loaded<T> {

  /// The file is right.
  ///
  /// @param value what it says, with defaults filled in
  /// @param revision the first 12 hexadecimal digits of the SHA-256 of the content
  record Valid<T>(T value, String revision) implements Loaded<T> {}

  /// The file cannot be used.
  ///
  /// @param problems at least one, in reading order
  record Invalid<T>(List<FileProblem> problems) implements Loaded<T> {
    public Invalid {
      problems = problems.stream().sorted().toList();
      if (problems.isEmpty()) {
        throw new IllegalArgumentException("An invalid file must have at least one problem.");
      }
    }

    /// One problem per line, in reading order, without a line break at the end.
    public String render() {
      return problems.stream().map(FileProblem::render).collect(Collectors.joining("\n"));
    }
  }

  /// The value of a file that is right.
  ///
  /// @param refusal makes what is thrown for a file that cannot be used, of its problems, one per
  ///     line
  default <X extends RuntimeException> T orThrow(Function<String, X> refusal) {
    return switch (this) {
      case Valid<T>(T value, String _) -> value;
      case Invalid<T> invalid -> throw refusal.apply(invalid.render());
    };
  }
}
