package dev.muster.policy.file;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What came of reading an admin's file: its value, or everything that is wrong with it.
 *
 * @param <T> what the file describes
 */
public sealed interface Loaded<T> {

  /**
   * The file is right.
   *
   * @param value what it says, with defaults filled in
   * @param revision the first 12 hexadecimal digits of the SHA-256 of the content
   */
  record Valid<T>(T value, String revision) implements Loaded<T> {}

  /**
   * The file cannot be used.
   *
   * @param problems at least one, in reading order
   */
  record Invalid<T>(List<FileProblem> problems) implements Loaded<T> {
    public Invalid {
      problems = problems.stream().sorted().toList();
      if (problems.isEmpty()) {
        throw new IllegalArgumentException("An invalid file must have at least one problem.");
      }
    }

    /** One problem per line, in reading order, without a line break at the end. */
    public String render() {
      return problems.stream().map(FileProblem::render).collect(Collectors.joining("\n"));
    }
  }
}
