package dev.muster.core.node;

import dev.muster.core.node.DomainCapacity.Histogram;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The most that any one of many domains has free, whatever the GPU models: enough to see that none
/// of them has room, without a look at each.
///
/// The numbers of one peak may come from different domains: what it has room for, none of them may
/// have; what it has no room for, none has.
///
/// Goals: kept up to date at every change of a node at a cost that does not grow with the number of
/// domains. Algorithm: a domain that gained, or that lost what was not the most, is compared with
/// the peak alone; only where the highest one lost are all looked at again.
public final class MaxFreeCapacity {
  /// The peak of no domains.
  static final MaxFreeCapacity NONE = new MaxFreeCapacity(new long[1]);

  /// At 0 thousandths of GPUs, parts of shared ones included; at g how many members of g GPUs find
  /// theirs on nodes of the domain. It ends before the first number that is 0, but for that at 0.
  private final long[] most;

  private MaxFreeCapacity(long[] most) {
    this.most = most;
  }

  /// What one domain has.
  static MaxFreeCapacity of(DomainCapacity capacity) {
    int largest = 0;
    for (Histogram free : capacity.byKind()) {
      largest = Math.max(largest, free.largest());
    }
    long[] most = new long[largest + 1];
    for (Histogram free : capacity.byKind()) {
      most[0] += free.freeMilli();
      for (int gpus = 1; gpus <= largest; gpus++) {
        most[gpus] += free.holds(gpus);
      }
    }
    return new MaxFreeCapacity(most);
  }

  /// All that is free, in thousandths of a GPU.
  public long freeMilli() {
    return most[0];
  }

  /// How many members of so many GPUs each, at least 1, could find their GPUs.
  public long holds(int gpus) {
    return gpus < most.length ? most[gpus] : 0;
  }

  /// This peak once one of its domains has other numbers.
  ///
  /// @param before what the domain had, as it was counted in here
  /// @param now what it has
  /// @param domains all of them, as they are now
  /// @param each what each of them has
  MaxFreeCapacity changed(MaxFreeCapacity before, MaxFreeCapacity now, Iterable<TopologyDomain> domains, Function<TopologyDomain, MaxFreeCapacity> each) {
    int length = Math.max(most.length, now.most.length);
    for (int at = 0; at < length; at++) {
      if (before.at(at) == at(at) && now.at(at) < at(at)) {
        return ofAll(domains, each);
      }
    }
    return higher(now);
  }

  private static MaxFreeCapacity ofAll(Iterable<TopologyDomain> domains, Function<TopologyDomain, MaxFreeCapacity> each) {
    MaxFreeCapacity all = NONE;
    for (TopologyDomain domain : domains) {
      all = all.higher(each.apply(domain));
    }
    return all;
  }

  private long at(int index) {
    return index < most.length ? most[index] : 0;
  }

  private MaxFreeCapacity higher(MaxFreeCapacity other) {
    boolean covers = other.most.length <= most.length;
    for (int at = 0; at < other.most.length && covers; at++) {
      covers = most[at] >= other.most[at];
    }
    if (covers) {
      return this;
    }
    long[] both = Arrays.copyOf(most, Math.max(most.length, other.most.length));
    for (int at = 0; at < other.most.length; at++) {
      both[at] = Math.max(both[at], other.most[at]);
    }
    return new MaxFreeCapacity(both);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MaxFreeCapacity that && Arrays.equals(most, that.most);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(most);
  }

  @Override
  public String toString() {
    return Arrays.toString(most);
  }
}
