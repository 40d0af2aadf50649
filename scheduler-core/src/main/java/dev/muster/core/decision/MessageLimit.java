package dev.muster.core.decision;

/// The form of every message for users: [plain][PlainText], and short. So names chosen by one user
/// fill no log or answer.
///
/// An Event of Kubernetes takes no more, and a condition would be refused as a whole beyond 32,768.
public final class MessageLimit {
  /// The maximum length of a message in characters.
  public static final int CHARACTERS = 1024;

  private static final String CUT = "…";

  private MessageLimit() {}

  /// Returns the message on one line, cut at the limit. No surrogate pair is split.
  public static String cut(String message) {
    return PlainText.line(shortened(message));
  }

  private static String shortened(String message) {
    if (message.length() <= CHARACTERS) {
      return message;
    }
    int end = CHARACTERS - CUT.length();
    boolean splits = Character.isHighSurrogate(message.charAt(end - 1));
    return message.substring(0, splits ? end - 1 : end) + CUT;
  }
}
