package dev.muster.core.placement.request;

import java.util.ArrayList;
import java.util.List;

/// Encoding of count vectors (one count for each sort) as numbers in mixed radix. Such a number is
/// called a state; state 0 is the empty vector.
///
/// The state of a sum is the sum of the states, as long as no sort exceeds its limit.
///
/// Example: limits (2, 3) give 12 states. One of the first sort is 4, one of the second is 1, and 9
/// is two of the first and one of the second.
public final class CountVectors {
  /// Limit on the states of several sorts that an exact search enumerates.
  private static final int MOST = 512;

  private final int[] limits;
  private final int[] strides;
  private final long size;

  CountVectors(List<Integer> limits) {
    this.limits = new int[limits.size()];
    for (int i = 0; i < this.limits.length; i++) {
      this.limits[i] = limits.get(i);
    }
    this.strides = new int[this.limits.length];
    long product = 1;
    for (int i = this.limits.length - 1; i >= 0; i--) {
      strides[i] = (int) Math.min(Integer.MAX_VALUE, product);
      product = Math.min(Integer.MAX_VALUE, product * (this.limits[i] + 1L));
    }
    this.size = product;
  }

  boolean areFew() {
    return limits.length == 1 || size <= MOST;
  }

  /// Returns the state that contains everything: each sort at its limit.
  public int all() {
    return (int) size - 1;
  }

  /// Returns the state of these counts, one for each sort.
  int of(List<Integer> counts) {
    int state = 0;
    for (int sort = 0; sort < strides.length; sort++) {
      state += counts.get(sort) * strides[sort];
    }
    return state;
  }

  /// Returns the state of a single item of a sort.
  public int one(int sort) {
    return strides[sort];
  }

  public int sorts() {
    return limits.length;
  }

  public int limit(int sort) {
    return limits[sort];
  }

  public int count(int state, int sort) {
    return state / strides[sort] % (limits[sort] + 1);
  }

  public List<Integer> counts(int state) {
    List<Integer> counts = new ArrayList<>();
    for (int sort = 0; sort < limits.length; sort++) {
      counts.add(count(state, sort));
    }
    return counts;
  }

  /// True if `part` has at most as many of each sort as `whole`.
  public boolean covers(int whole, int part) {
    if (limits.length == 1) {
      return whole >= part;
    }
    for (int sort = 0; sort < limits.length; sort++) {
      if (count(whole, sort) < count(part, sort)) {
        return false;
      }
    }
    return true;
  }
}
