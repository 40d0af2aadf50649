package dev.muster.policy.journal;

import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;

/// A journal line that cannot be used; the message names file, line and column.
public final class MalformedJournal extends IOException {

  private final transient FileProblem problem;

  MalformedJournal(FileProblem problem) {
    super(problem.render());
    this.problem = problem;
  }

  /// Creates the fault with the exception that revealed it.
  MalformedJournal(FileProblem problem, Throwable cause) {
    super(problem.render(), cause);
    this.problem = problem;
  }

  /// Returns the place and the fault.
  public FileProblem problem() {
    return problem;
  }
}
