package dev.muster.simulator.file;

import java.time.LocalDate;
import java.time.YearMonth;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// Numbers and times in the form that nearly all files have, read without detours: traces have
/// millions of them. Absent for every other form, right or wrong: that is for a slower reader.
public final class PlainNumber {
  private static final int MOST_DIGITS = 12;
  private static final long DAY_MILLIS = 86_400_000;

  /// What only Java takes for a number: `2d`, which is two days to everybody else here, and
  /// `0x1p3`.
  private static final Pattern OF_JAVA = Pattern.compile(".*[dDfF]|.*[xX].*");

  private PlainNumber() {}

  /// A number as users write it in options.
  ///
  /// @throws NumberFormatException if it is none
  public static double decimal(String text) {
    if (OF_JAVA.matcher(text.strip()).matches()) {
      throw new NumberFormatException(text);
    }
    return Double.parseDouble(text);
  }

  /// A decimal of at most 12 digits before the point and at most 3 after it, times a thousand.
  static OptionalLong thousandfold(String text) {
    int point = text.indexOf('.');
    int whole = point < 0 ? text.length() : point;
    int decimals = point < 0 ? 0 : text.length() - point - 1;
    if (whole == 0 || whole > MOST_DIGITS || decimals > 3 || point == text.length() - 1) {
      return OptionalLong.empty();
    }
    long value = digits(text, 0, whole);
    long part = decimals == 0 ? 0 : digits(text, point + 1, text.length());
    for (int i = decimals; i < 3; i++) {
      part *= 10;
    }
    return value < 0 || part < 0 ? OptionalLong.empty() : OptionalLong.of(1000 * value + part);
  }

  /// `YYYY-MM-DD hh:mm:ss`, taken as UTC, in milliseconds since the epoch.
  static OptionalLong clock(String text) {
    if (text.length() != 19
        || text.charAt(4) != '-'
        || text.charAt(7) != '-'
        || text.charAt(10) != ' '
        || text.charAt(13) != ':'
        || text.charAt(16) != ':') {
      return OptionalLong.empty();
    }
    long year = digits(text, 0, 4);
    long month = digits(text, 5, 7);
    long day = digits(text, 8, 10);
    long hour = digits(text, 11, 13);
    long minute = digits(text, 14, 16);
    long second = digits(text, 17, 19);
    boolean known = year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
    boolean timed = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0;
    if (!known || !timed || second > 59 || (day > 28 && day > daysOf(year, month))) {
      return OptionalLong.empty();
    }
    long days = LocalDate.of((int) year, (int) month, (int) day).toEpochDay();
    return OptionalLong.of(days * DAY_MILLIS + 1000 * (3600 * hour + 60 * minute + second));
  }

  private static int daysOf(long year, long month) {
    return YearMonth.of((int) year, (int) month).lengthOfMonth();
  }

  /// The digits from one index to another as a number; below 0 when there is anything else.
  private static long digits(String text, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1_000_000;
      }
      value = 10 * value + digit;
    }
    return value;
  }
}
