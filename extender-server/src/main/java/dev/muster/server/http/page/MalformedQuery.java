package dev.muster.server.http.page;

/// The query of a page cannot be understood.
public final class MalformedQuery extends Exception {
  private static final long serialVersionUID = 1;

  MalformedQuery(String problem) {
    super(problem);
  }

  /// Returns the reason, with the remedy.
  public String problem() {
    return String.valueOf(getMessage());
  }
}
