package dev.muster.deploy.client;

import dev.muster.core.decision.PlainText;

/// A page that was not answered as asked.
public final class PageProblem extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  /// @param status HTTP status; 0 without an answer
  PageProblem(int status, String problem) {
    super(PlainText.line(problem));
    this.status = status;
  }

  int status() {
    return status;
  }

  /// True if a later call may succeed: no answer, too many calls, or an error in the server.
  public boolean isPassing() {
    return status == 0 || status == 429 || status >= 500;
  }
}
