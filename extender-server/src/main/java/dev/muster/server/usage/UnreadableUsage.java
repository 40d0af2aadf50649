package dev.muster.server.usage;

import java.io.IOException;

/// The usage store cannot be read now. What was read of it before is incomplete.
public final class UnreadableUsage extends IOException {
  private static final long serialVersionUID = 1L;

  UnreadableUsage(Throwable cause) {
    super("The usage store cannot be read now (%s).".formatted(reason(cause)), cause);
  }

  /// Returns the text of a failure; its type if it has none.
  static String reason(Throwable failure) {
    String text = failure.getMessage();
    return text == null ? failure.getClass().getSimpleName() : text;
  }
}
