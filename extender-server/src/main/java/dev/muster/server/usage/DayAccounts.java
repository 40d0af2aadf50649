package dev.muster.server.usage;

import java.time.LocalDate;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// Limits the number of accounts on one day.
///
/// Tenants choose queues, users and projects freely. So beyond the limits, further accounts are
/// added up with fewer names: first without the user, then without all names that are not
/// configured, at last without the namespace. Each namespace has limits of its own, so that none
/// uses up those of others.
///
/// *Example:* a namespace has 500 accounts, and another user of it runs a gang of the project
/// `llm`. Its time goes to the account of the project without a user, the 501st of the namespace.
final class DayAccounts {
  /// @param ofNamespace accounts of the namespace from which on the form takes no new account
  /// @param ofAll accounts of all namespaces from which on it takes none
  private record Limit(int ofNamespace, int ofAll) {}

  /// Limits of the forms of an account, which have ever fewer names. The last form is limited by
  /// the number of configured names and GPU models alone.
  private static final List<Limit> LIMITS =
      List.of(
          new Limit(500, 5_000),
          new Limit(600, 6_000),
          new Limit(1_000, 10_000),
          new Limit(Integer.MAX_VALUE, Integer.MAX_VALUE));

  private final ConfiguredNames names;
  private final Map<String, Integer> byNamespace = new HashMap<>();
  private int all;

  DayAccounts(ConfiguredNames names) {
    this.names = names;
  }

  /// Counts the accounts of a day.
  ///
  /// @param keys texts of keys in their order, those of the day first
  static DayAccounts of(ConfiguredNames names, LocalDate day, Iterator<String> keys) {
    DayAccounts counted = new DayAccounts(names);
    UsageKey.Reader reader = new UsageKey.Reader();
    String end = UsageKey.end(day);
    while (keys.hasNext()) {
      String key = keys.next();
      if (key.compareTo(end) > 0) {
        break;
      }
      counted.add(reader.parse(key).account());
    }
    return counted;
  }

  private void add(UsageAccount account) {
    byNamespace.merge(account.namespace(), 1, Integer::sum);
    all++;
  }

  /// Returns the account to which time is added for this one, and counts it if it is new.
  ///
  /// @param exists true for accounts that were counted before
  UsageAccount charged(UsageAccount account, Predicate<UsageAccount> exists) {
    List<UsageAccount> forms = forms(account);
    for (int i = 0; i < forms.size(); i++) {
      UsageAccount form = forms.get(i);
      if (exists.test(form)) {
        return form;
      }
      if (allows(LIMITS.get(i), form)) {
        add(form);
        return form;
      }
    }
    throw new IllegalStateException("The last form of an account has no limit.");
  }

  private boolean allows(Limit limit, UsageAccount account) {
    return byNamespace.getOrDefault(account.namespace(), 0) < limit.ofNamespace()
        && all < limit.ofAll();
  }

  private List<UsageAccount> forms(UsageAccount account) {
    UsageAccount coarse = names.coarse(account);
    return List.of(account, account.withoutUser(), coarse, coarse.withoutNamespace());
  }
}
