package dev.muster.policy.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A size in bytes, written like `16Mi` or `512Ki`.
///
/// @param bytes from 1 Ki to 1024 Mi
public record ByteSize(long bytes) {

  private static final long KI = 1L << 10;
  private static final long MI = 1L << 20;
  private static final long LARGEST = 1024 * MI;
  private static final Pattern TEXT = Pattern.compile("([1-9]\\d{0,8})(Ki|Mi)");

  public ByteSize {
    if (bytes < KI || bytes > LARGEST) {
      throw new IllegalArgumentException(
          bytes + " bytes is out of range: a size is from 1Ki to 1024Mi.");
    }
  }

  /// Parses a whole number with the suffix `Ki` or `Mi`.
  ///
  /// @throws IllegalArgumentException naming the text, if it is not a size or out of range
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static ByteSize parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a size. Write it like 16Mi or 512Ki.");
    }
    long unit = matcher.group(2).equals("Ki") ? KI : MI;
    long bytes = Long.parseLong(matcher.group(1)) * unit;
    if (bytes > LARGEST) {
      throw new IllegalArgumentException("\"" + text + "\" is too large a size: at most 1024Mi.");
    }
    return new ByteSize(bytes);
  }

  @Override
  public String toString() {
    return bytes % MI == 0 ? bytes / MI + "Mi" : bytes % KI == 0 ? bytes / KI + "Ki" : bytes + "";
  }
}
