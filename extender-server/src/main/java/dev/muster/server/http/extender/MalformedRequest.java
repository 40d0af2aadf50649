package dev.muster.server.http.extender;

/// The request body is not what this endpoint reads.
public final class MalformedRequest extends Exception {
  private static final long serialVersionUID = 1;

  private final String problem;

  /// @param problem one line that says where and what was expected
  public MalformedRequest(String problem) {
    super(problem);
    this.problem = problem;
  }

  public String problem() {
    return problem;
  }
}
