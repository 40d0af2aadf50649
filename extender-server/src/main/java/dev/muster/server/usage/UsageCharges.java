package dev.muster.server.usage;

import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;

/// GPU time in memory by day and account, with a limited number of accounts on each day.
///
/// It is used by one thread at a time.
final class UsageCharges {
  private final ConfiguredNames names;
  private final Map<UsageKey, Long> sums = new HashMap<>();
  private final Map<LocalDate, DayAccounts> days = new HashMap<>();

  UsageCharges(ConfiguredNames names) {
    this.names = names;
  }

  /// Adds GPU-milliseconds.
  void add(UsageKey key, long millis) {
    LocalDate day = key.day();
    UsageAccount account =
        days.computeIfAbsent(day, _ -> new DayAccounts(names))
            .charged(key.account(), each -> sums.containsKey(new UsageKey(day, each)));
    sums.merge(new UsageKey(day, account), millis, Long::sum);
  }

  void add(UsageCharges more) {
    more.sums.forEach(this::add);
  }

  void clear() {
    sums.clear();
    days.clear();
  }

  /// Returns the GPU-milliseconds, which the caller does not change.
  Map<UsageKey, Long> sums() {
    return sums;
  }
}
