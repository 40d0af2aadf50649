package dev.muster.simulator.file;

import dev.muster.policy.file.FileProblem;

/// A file cannot be read; the message names file, line, column, value and what may help.
public final class BadFile extends RuntimeException {
  private final transient FileProblem problem;

  /// Something is wrong at a place.
  public BadFile(FileProblem problem) {
    super(problem.render());
    this.problem = problem;
  }

  /// The file as a whole is wrong.
  public static BadFile ofFile(String file, String message) {
    return new BadFile(FileProblem.ofFile(file, message));
  }

  /// Where it is and what is wrong.
  public FileProblem problem() {
    return problem;
  }
}
