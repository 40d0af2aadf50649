package dev.muster.server.usage;

import java.time.LocalDate;

/// One day of an account.
///
/// @param day the day in UTC
public record UsageKey(LocalDate day, UsageAccount account) {
  private static final String SEPARATOR = "\t"; // in no label value, and in no name
  private static final int FIELDS = 6;

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

  static UsageKey parse(String text) {
    String[] fields = text.split(SEPARATOR, FIELDS);
    return new UsageKey(
        LocalDate.parse(fields[0]),
        new UsageAccount(fields[1], fields[2], fields[3], fields[4], fields[5]));
  }
}
