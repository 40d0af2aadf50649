package dev.muster.core.node;

import dev.muster.core.node.DomainCapacity.Histogram;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The greatest free capacity of any one among many domains, over all GPU models.
///
/// It shows that none of them can hold a gang, without a look at each. The numbers of one maximum
/// may come from different domains. So no domain may have capacity for a gang that the maximum
/// admits, but none has capacity for a gang that it excludes.
///
/// *Goals:* kept up to date at every change of a node, at a cost independent of the number of
/// domains.
///
/// *Algorithm:* a domain that gained capacity, or lost capacity below the maximum, is compared with
/// the maximum alone. All domains are read again only if a domain with the maximum lost capacity.
public final class MaxFreeCapacity {
  /// The maximum over no domains.
  static final MaxFreeCapacity NONE = new MaxFreeCapacity(new long[1]);

  /// Free capacity by size of member.
  ///
  /// Index 0 has thousandths of a GPU, shared GPUs included. Index g has the number of members of g
  /// GPUs that find their GPUs on nodes of the domain. The array ends before the first 0, index 0
  /// excepted.
  private final long[] most;

  private MaxFreeCapacity(long[] most) {
    this.most = most;
  }

  /// Returns the free capacity of one domain.
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

  /// Returns the free capacity in thousandths of a GPU.
  public long freeMilli() {
    return most[0];
  }

  /// Returns the number of members of this many GPUs each, at least 1, that could find their GPUs.
  public long holds(int gpus) {
    return gpus < most.length ? most[gpus] : 0;
  }

  /// Returns this maximum after one of its domains changed.
  ///
  /// @param before capacity of that domain as counted in this maximum
  /// @param now its new capacity
  /// @param domains all domains, in their new state
  /// @param each capacity of a domain
  MaxFreeCapacity changed(
      MaxFreeCapacity before,
      MaxFreeCapacity now,
      Iterable<TopologyDomain> domains,
      Function<TopologyDomain, MaxFreeCapacity> each) {
    int length = Math.max(most.length, now.most.length);
    for (int at = 0; at < length; at++) {
      if (before.at(at) == at(at) && now.at(at) < at(at)) {
        return ofAll(domains, each);
      }
    }
    return higher(now);
  }

  private static MaxFreeCapacity ofAll(
      Iterable<TopologyDomain> domains, Function<TopologyDomain, MaxFreeCapacity> each) {
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
