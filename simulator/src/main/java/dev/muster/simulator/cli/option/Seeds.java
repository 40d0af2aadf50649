package dev.muster.simulator.cli.option;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/// Parses seeds: `42`, or `42..51` for ten of them.
public final class Seeds {
  private static final Pattern FORM = Pattern.compile("(\\d{1,18})(?:\\.\\.(\\d{1,18}))?");
  private static final long MOST = 100_000;

  private Seeds() {}

  public static List<Long> of(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "--seeds \"%s\": not of the form 42 or 42..51.".formatted(text));
    }
    long first = Long.parseLong(matcher.group(1));
    long last = matcher.group(2) == null ? first : Long.parseLong(matcher.group(2));
    if (last < first) {
      throw new IllegalArgumentException(
          "--seeds %s: descending range. Did you mean %d..%d?".formatted(text, last, first));
    }
    if (last - first >= MOST) {
      throw new IllegalArgumentException(
          "--seeds %s: %d seeds; the maximum is %d.".formatted(text, last - first + 1, MOST));
    }
    return LongStream.rangeClosed(first, last).boxed().toList();
  }
}
