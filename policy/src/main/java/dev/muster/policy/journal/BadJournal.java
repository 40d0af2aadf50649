package dev.muster.policy.journal;

import dev.muster.policy.file.FileProblem;
import java.io.IOException;

/// A line of a journal is not understood; the message names file, line and column.
public final class BadJournal extends IOException {

  private final transient FileProblem problem;

  BadJournal(FileProblem problem) {
    super(problem.render());
    this.problem = problem;
  }

  /// The same, which came out by what went wrong then.
  BadJournal(FileProblem problem, Throwable cause) {
    super(problem.render(), cause);
    this.problem = problem;
  }

  /// Where it is and what is wrong.
  public FileProblem problem() {
    return problem;
  }
}
