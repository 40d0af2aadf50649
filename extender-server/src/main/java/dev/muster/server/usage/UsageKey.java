package dev.muster.server.usage;

import java.time.LocalDate;

/// One day of an account.
///
/// @param day the day in UTC
public record UsageKey(LocalDate day, UsageAccount account) implements Comparable<UsageKey> {
  private static final String SEPARATOR = "\t"; // in no label value, and in no name
  private static final int FIELDS = 5; // without the day

  /// Returns the key as text. Keys of one day are neighbours in the order of texts.
  String text() {
    return String.join(
        SEPARATOR,
        day.toString(),
        account.queue(),
        account.namespace(),
        account.user(),
        account.project(),
        account.model());
  }

  /// Returns a text after those of all keys of this day and before those of the next one. The day
  /// after the year 9999 is none: it begins with a sign.
  static String end(LocalDate day) {
    return day + "\n"; // after SEPARATOR
  }

  /// Orders by the texts of keys.
  @Override
  public int compareTo(UsageKey other) {
    return text().compareTo(other.text());
  }

  /// Reads the texts of keys in their order. Keys of one day share it, so each day is read once.
  static final class Reader {
    private String dayText = SEPARATOR; // of no key
    private LocalDate day = LocalDate.EPOCH;

    UsageKey parse(String text) {
      if (!text.startsWith(dayText)) {
        int end = text.indexOf(SEPARATOR);
        day = LocalDate.parse(text.substring(0, Math.max(0, end)));
        dayText = text.substring(0, end + 1);
      }
      String[] fields = text.substring(dayText.length()).split(SEPARATOR, FIELDS);
      return new UsageKey(
          day, new UsageAccount(fields[0], fields[1], fields[2], fields[3], fields[4]));
    }
  }
}
