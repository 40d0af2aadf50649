package dev.muster.policy.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.decision.PlainText;

/// Formats values for messages: short, on one line.
public final class ShownValue {

  private static final int LONGEST = 60;

  private ShownValue() {}

  /// Returns text in double quotes, numbers and booleans bare, lists and mappings as a word.
  public static String of(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "\"" + text(value.asText()) + "\"";
      case NUMBER, BOOLEAN -> text(value.asText());
      case ARRAY -> "a list";
      case OBJECT -> "a mapping";
      case NULL, MISSING, BINARY, POJO -> "an empty value";
    };
  }

  /// True if [#text] returns the text unchanged.
  public static boolean isShort(String value) {
    return text(value).equals(value);
  }

  /// Returns the text cut at 60 characters, with line breaks and control characters as spaces.
  public static String text(String value) {
    boolean fits = value.codePointCount(0, value.length()) <= LONGEST;
    String shown = fits ? value : value.substring(0, value.offsetByCodePoints(0, LONGEST)) + "...";
    return PlainText.line(shown);
  }
}
