package dev.muster.deploy.client;

/// A page that was not answered as asked.
final class PageProblem extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  /// @param status HTTP status; 0 without an answer
  PageProblem(int status, String problem) {
    super(problem);
    this.status = status;
  }

  int status() {
    return status;
  }
}
