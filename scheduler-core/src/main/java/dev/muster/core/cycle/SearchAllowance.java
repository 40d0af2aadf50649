package dev.muster.core.cycle;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.state.WaitClass;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// A search allowance bounds the woken classes that one stage of a step searches in vain.
///
/// *Goals:* an event costs a bounded number of searches, however many classes wait. A namespace
/// with one class is tried beside another with thousands, and so is a queue in one namespace.
///
/// *Constraints:* gangs are tried in their order. Gangs that start are not counted, so the order
/// decides as long as gangs fit.
///
/// *Algorithm:* the allowance is shared by max-min fairness among the namespaces of the woken
/// classes, and the part of a namespace likewise among its queues. A class without allowance is
/// passed over: it becomes doubtful, and ticks try it. Classes for which a tick asks are not
/// counted: ticks bound their number.
///
/// *Example:* 40 classes of `a` and 2 of `b` are woken. `a` may fail 30 times and `b` twice.
final class SearchAllowance {
  /// The number of woken classes that may fail in one stage.
  static final int FAILED_AT_ONCE = 32;

  private final Set<WaitClass.Key> asked;
  private final Map<String, Integer> leftByNamespace = new TreeMap<>();
  private final Map<String, Map<String, Integer>> leftByQueue = new TreeMap<>();
  private int left = FAILED_AT_ONCE;

  /// Creates the allowance of a stage.
  ///
  /// @param asked classes for which a tick asks
  SearchAllowance(Collection<WaitClass.Key> asked) {
    this.asked = new TreeSet<>(asked);
  }

  /// Shares what is left among these classes.
  void share(Set<WaitClass.Key> woken, SortedTable<WaitClass.Key, WaitClass> classes) {
    leftByNamespace.clear();
    leftByQueue.clear();
    for (WaitClass.Key key : woken) {
      if (!asked.contains(key)) {
        classes
            .get(key)
            .ifPresent(waits ->
                leftByQueue
                    .computeIfAbsent(namespace(waits), _ -> new TreeMap<>())
                    .merge(key.queue(), 1, Integer::sum));
      }
    }
    leftByQueue.forEach((namespace, queues) -> leftByNamespace.put(namespace, sum(queues)));
    limit(leftByNamespace, left);
    leftByQueue.forEach(
        (namespace, queues) -> limit(queues, leftByNamespace.getOrDefault(namespace, 0)));
  }

  /// Limits each claim to the largest equal share with which all are within the total. Each gets at
  /// least 1.
  private static void limit(Map<String, Integer> claims, int total) {
    int share = 1;
    while (share < total && sum(claims, share + 1) <= total) {
      share++;
    }
    int most = share;
    claims.replaceAll((_, claim) -> Math.min(claim, most));
  }

  private static int sum(Map<String, Integer> claims) {
    return sum(claims, Integer.MAX_VALUE);
  }

  private static int sum(Map<String, Integer> claims, int most) {
    return claims.values().stream().mapToInt(claim -> Math.min(claim, most)).sum();
  }

  /// True if the class may be tried.
  boolean permits(WaitClass waits) {
    return asked.contains(waits.key())
        || (left > 0
            && leftByNamespace.getOrDefault(namespace(waits), 1) > 0
            && queues(waits).getOrDefault(waits.key().queue(), 1) > 0);
  }

  /// Counts a class that was tried in vain.
  void failed(WaitClass waits) {
    if (!asked.remove(waits.key())) {
      left--;
      leftByNamespace.merge(namespace(waits), -1, (now, less) -> now + less);
      queues(waits).merge(waits.key().queue(), -1, (now, less) -> now + less);
    }
  }

  private Map<String, Integer> queues(WaitClass waits) {
    return leftByQueue.computeIfAbsent(namespace(waits), _ -> new TreeMap<>());
  }

  private static String namespace(WaitClass waits) {
    return waits.first().namespace();
  }
}
