package dev.muster.policy.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Pattern;

/// A value as a message shows it: short, on one line.
final class ShownValue {

  private static final int LONGEST = 60;
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

  private ShownValue() {}

  /// Text in double quotes, numbers and booleans bare, lists and mappings by their name.
  static String of(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "\"" + text(value.asText()) + "\"";
      case NUMBER, BOOLEAN -> text(value.asText());
      case ARRAY -> "a list";
      case OBJECT -> "a mapping";
      case NULL, MISSING, BINARY, POJO -> "an empty value";
    };
  }

  /// Whether [#text] would show the text as it is.
  static boolean isShort(String value) {
    return text(value).equals(value);
  }

  /// The text cut at 60 signs, with line breaks and other control signs replaced by a space.
  static String text(String value) {
    boolean fits = value.codePointCount(0, value.length()) <= LONGEST;
    String shown = fits ? value : value.substring(0, value.offsetByCodePoints(0, LONGEST)) + "...";
    return CONTROL.matcher(shown).replaceAll(" ");
  }
}
