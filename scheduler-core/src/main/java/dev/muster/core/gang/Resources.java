package dev.muster.core.gang;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/// Amounts of named resources. `cpu` is in thousandths of a core, `memory` and other sizes are in
/// bytes, extended resources such as `nvidia.com/gpu` in pieces. An unlisted resource has amount 0.
///
/// Amounts may be negative: the free amount of a node whose devices vanished under its pods is.
/// Sums and products that exceed the range of a `long` are clamped to it, so that no request,
/// however large, stops the scheduler.
public final class Resources implements Comparable<Resources> {
  /// The name of the CPU resource, in thousandths of a core.
  public static final String CPU = "cpu";

  /// The name of the memory resource, in bytes.
  public static final String MEMORY = "memory";

  /// The name of the resource that counts pods; every member needs one.
  public static final String PODS = "pods";

  /// The empty amounts.
  public static final Resources NONE = new Resources(new String[0], new long[0]);

  // Sorted by name, without zero amounts: equal amounts have equal arrays.
  private final String[] names;
  private final long[] amounts;

  /// The cached hash code; 0 until it is first computed.
  private int hash;

  private Resources(String[] names, long[] amounts) {
    this.names = names;
    this.amounts = amounts;
  }

  /// Returns the amounts of the map; zero amounts are dropped.
  public static Resources of(Map<String, Long> amounts) {
    SortedMap<String, Long> kept = new TreeMap<>(amounts);
    kept.values().removeIf(amount -> amount == 0);
    return kept.isEmpty()
        ? NONE
        : new Resources(
            kept.keySet().toArray(String[]::new),
            kept.values().stream().mapToLong(Long::longValue).toArray());
  }

  /// Returns the amount of one resource.
  public static Resources of(String name, long amount) {
    return amount == 0 ? NONE : new Resources(new String[] {name}, new long[] {amount});
  }

  /// Returns the amount of the resource; 0 for an unlisted resource.
  public long get(String name) {
    for (int i = 0; i < names.length; i++) { // few names: a linear search is fastest
      if (names[i].equals(name)) {
        return amounts[i];
      }
    }
    return 0;
  }

  /// Returns the amounts of these resources, in this order.
  public long[] amounts(String[] asked) {
    long[] found = new long[asked.length];
    for (int i = 0; i < asked.length; i++) {
      found[i] = get(asked[i]);
    }
    return found;
  }

  /// Returns the names of the resources with a positive or negative amount, sorted.
  public List<String> names() {
    return List.of(names);
  }

  public boolean isNone() {
    return names.length == 0;
  }

  public Resources plus(Resources other) {
    return other.isNone() ? this : isNone() ? other : merged(other, Resources::sum);
  }

  public Resources minus(Resources other) {
    return other.isNone() ? this : merged(other, Resources::difference);
  }

  /// Returns every amount multiplied by the factor.
  public Resources times(long factor) {
    if (factor == 1) {
      return this;
    }
    SortedMap<String, Long> product = new TreeMap<>();
    for (int i = 0; i < names.length; i++) {
      product.put(names[i], product(amounts[i], factor));
    }
    return of(product);
  }

  private static long sum(long a, long b) {
    long sum = a + b;
    return ((a ^ sum) & (b ^ sum)) < 0 ? extreme(a) : sum;
  }

  private static long difference(long a, long b) {
    long difference = a - b;
    return ((a ^ b) & (a ^ difference)) < 0 ? extreme(a) : difference;
  }

  private static long product(long a, long factor) {
    long product = a * factor;
    return Math.multiplyHigh(a, factor) == product >> 63 ? product : extreme(a ^ factor);
  }

  private static long extreme(long sign) {
    return sign < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  /// Returns the first resource, by name, of which this has less than `needed`; null if none.
  /// Resources that are not needed do not count, even when their amount here is negative.
  public @Nullable String firstShort(Resources needed) {
    int mine = 0;
    for (int i = 0; i < needed.names.length; i++) {
      while (mine < names.length && names[mine].compareTo(needed.names[i]) < 0) {
        mine++;
      }
      long here = mine < names.length && names[mine].equals(needed.names[i]) ? amounts[mine] : 0;
      if (here < needed.amounts[i]) {
        return needed.names[i];
      }
    }
    return null;
  }

  /// True if this has at least the needed amounts.
  public boolean covers(Resources needed) {
    return firstShort(needed) == null;
  }

  /// Returns these amounts with 0 in place of negative ones.
  public Resources atLeastNone() {
    for (long amount : amounts) {
      if (amount < 0) {
        SortedMap<String, Long> kept = asMap();
        kept.replaceAll((_, each) -> Math.max(0, each));
        return of(kept);
      }
    }
    return this;
  }

  /// Returns how many times `needed` fits into this, at most `limit`. Returns `limit` when nothing
  /// is needed.
  public int holds(Resources needed, int limit) {
    long times = limit;
    for (int i = 0; i < needed.names.length && times > 0; i++) {
      if (needed.amounts[i] > 0) {
        times = Math.min(times, Math.max(0, get(needed.names[i])) / needed.amounts[i]);
      }
    }
    return (int) times;
  }

  /// Returns the lesser of this and `limit` for each resource named here, at least 0.
  public Resources upTo(Resources limit) {
    SortedMap<String, Long> kept = new TreeMap<>();
    for (int i = 0; i < names.length; i++) {
      kept.put(names[i], Math.max(0, Math.min(amounts[i], limit.get(names[i]))));
    }
    return of(kept);
  }

  /// Returns the amounts by name, in order of name.
  public SortedMap<String, Long> asMap() {
    SortedMap<String, Long> map = new TreeMap<>();
    for (int i = 0; i < names.length; i++) {
      map.put(names[i], amounts[i]);
    }
    return map;
  }

  private Resources merged(Resources other, LongBinaryOperator operator) {
    String[] name = names.length == 0 ? other.names : withNames(other.names);
    long[] amount = new long[name.length];
    int zeros = 0;
    int i = 0;
    int j = 0;
    for (int k = 0; k < name.length; k++) {
      long mine = i < names.length && names[i].equals(name[k]) ? amounts[i++] : 0;
      boolean both = j < other.names.length && other.names[j].equals(name[k]);
      amount[k] = operator.applyAsLong(mine, both ? other.amounts[j++] : 0);
      zeros += amount[k] == 0 ? 1 : 0;
    }
    return zeros == 0 ? new Resources(name, amount) : nonZero(name, amount, zeros);
  }

  /// Returns the names of both, sorted. Returns `names` itself in the common case that it contains
  /// all others.
  private String[] withNames(String[] others) {
    int found = 0;
    for (int i = 0; i < names.length && found < others.length; i++) {
      found += names[i].equals(others[found]) ? 1 : 0;
    }
    if (found == others.length) {
      return names;
    }
    String[] union = Arrays.copyOf(names, names.length + others.length);
    int length = names.length;
    for (String other : others) {
      if (Arrays.binarySearch(names, other) < 0) {
        union[length++] = other;
      }
    }
    Arrays.sort(union, 0, length);
    return Arrays.copyOf(union, length);
  }

  private static Resources nonZero(String[] names, long[] amounts, int zeros) {
    String[] name = new String[names.length - zeros];
    long[] amount = new long[name.length];
    int kept = 0;
    for (int i = 0; i < names.length; i++) {
      if (amounts[i] != 0) {
        name[kept] = names[i];
        amount[kept++] = amounts[i];
      }
    }
    return kept == 0 ? NONE : new Resources(name, amount);
  }

  /// Orders by names, then by amounts: an arbitrary but stable order.
  @Override
  public int compareTo(Resources other) {
    int side = Arrays.compare(names, other.names);
    return side != 0 ? side : Arrays.compare(amounts, other.amounts);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Resources that
            && Arrays.equals(names, that.names)
            && Arrays.equals(amounts, that.amounts));
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = 31 * Arrays.hashCode(names) + Arrays.hashCode(amounts);
      hash = known;
    }
    return known;
  }

  @Override
  public String toString() {
    return asMap().toString();
  }
}
