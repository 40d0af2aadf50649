package dev.muster.server.http;

/// The request body is not what this endpoint reads.
final class MalformedRequest extends Exception {
  private static final long serialVersionUID = 1;

  private final String problem;

  /// @param problem one line that says where and what was expected
  MalformedRequest(String problem) {
    super(problem);
    this.problem = problem;
  }

  String problem() {
    return problem;
  }
}
