package dev.muster.simulator.trace;

import dev.muster.policy.file.FileProblem;

/// A trace cannot be read; the message names file, line, column, value and what may help.
public final class BadTrace extends RuntimeException {
  private final transient FileProblem problem;

  BadTrace(FileProblem problem) {
    super(problem.render());
    this.problem = problem;
  }

  /// The file as a whole is wrong.
  static BadTrace ofFile(String file, String message) {
    return new BadTrace(FileProblem.ofFile(file, message));
  }

  /// Where it is and what is wrong.
  public FileProblem problem() {
    return problem;
  }
}
