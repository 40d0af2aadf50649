package dev.muster.policy.file;

import com.fasterxml.jackson.databind.JsonNode;

/** A value as a message shows it: short, on one line. */
final class ShownValue {

  private static final int LONGEST = 60;

  private ShownValue() {}

  /** Text in double quotes, numbers and booleans bare, lists and mappings by their name. */
  static String of(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "\"" + text(value.asText()) + "\"";
      case NUMBER, BOOLEAN -> text(value.asText());
      case ARRAY -> "a list";
      case OBJECT -> "a mapping";
      case NULL, MISSING, BINARY, POJO -> "an empty value";
    };
  }

  /** Whether {@link #text} would show the text as it is. */
  static boolean isShort(String value) {
    return text(value).equals(value);
  }

  /** The text cut at 60 signs, with line breaks and other control signs replaced by a space. */
  static String text(String value) {
    String line = value.replaceAll("\\p{Cntrl}", " ");
    return line.codePointCount(0, line.length()) <= LONGEST
        ? line
        : line.substring(0, line.offsetByCodePoints(0, LONGEST)) + "...";
  }
}
