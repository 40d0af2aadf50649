package dev.muster.server.http.extender;

/// A request body that the endpoint cannot read.
public sealed class MalformedRequest extends Exception {
  private static final long serialVersionUID = 1;

  private final String problem;

  /// @param problem one line with the place and the expected value
  public MalformedRequest(String problem) {
    super(problem);
    this.problem = problem;
  }

  public String problem() {
    return problem;
  }

  /// A body that exceeds a bound: tokens, depth, or the length of a key, number or text.
  public static final class Excessive extends MalformedRequest {
    private static final long serialVersionUID = 1;

    Excessive(String problem) {
      super(problem);
    }
  }
}
