package dev.muster.simulator.kit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Damaged files: truncated, concatenated, mistyped, or written to do harm.
public final class Mangled {
  private static final List<String> HOSTILE =
      List.of(
          "",
          "-1",
          "0",
          "1e999999999",
          "1e-999999999",
          "-0.0000000001",
          "2147483647",
          "9223372036854775807",
          "99999999999999999999",
          "NaN",
          "null",
          "true",
          "\"",
          "{",
          "[",
          "]",
          ",",
          "\n",
          "\\u0000",
          "\u0000",
          "ü",
          "9999-12-31 23:59:59",
          "0000-00-00 00:00:00",
          "x".repeat(5000),
          "7".repeat(5000));

  private static final Pattern WORD = Pattern.compile("[\\w.:-]+");

  private Mangled() {}

  /// The text with one to three changes, and perhaps a byte that is another one.
  public static byte[] of(String text, Random random) {
    String mangled = text;
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      mangled = changed(mangled, random);
    }
    byte[] bytes = mangled.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0 && random.nextInt(5) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }

  private static String changed(String text, Random random) {
    String hostile = HOSTILE.get(random.nextInt(HOSTILE.size()));
    List<MatchResult> words = WORD.matcher(text).results().toList();
    int from = random.nextInt(text.length() + 1);
    int to = Math.min(text.length(), from + random.nextInt(40));
    return switch (words.isEmpty() ? 3 : random.nextInt(5)) {
      case 0, 1 -> {
        MatchResult word = words.get(random.nextInt(words.size()));
        yield text.substring(0, word.start()) + hostile + text.substring(word.end());
      }
      case 2 -> text.substring(0, from) + text.substring(to);
      case 3 -> text.substring(0, from) + hostile + text.substring(from);
      default -> text.substring(0, to) + text.substring(from);
    };
  }
}
