package dev.muster.core.cluster;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The requests for GPUs to expect in future: those of the members of all gangs known now.
///
/// Members without GPUs are left out. They have no use for GPUs on any node, so they would only
/// take the places of others among the most frequent shapes.
///
/// Each member is counted as it comes and goes, so that reading the mix costs nothing.
///
/// @param counts members with GPUs by shape, 1 or more each
/// @param order these counts, most frequent first
public record DemandMix(SortedTable<RequestShape, Integer> counts, SortedKeys<Expected> order) {
  /// A shape and the number of members that have it.
  public record Expected(RequestShape shape, int count) implements Comparable<Expected> {
    /// Orders the more frequent shape first.
    @Override
    public int compareTo(Expected other) {
      int side = Integer.compare(other.count, count);
      return side == 0 ? shape.compareTo(other.shape) : side;
    }
  }

  /// The mix without any gang.
  public static final DemandMix NONE = new DemandMix(SortedTable.empty(), SortedKeys.empty());

  /// The number of shapes that count; rarer ones are ignored. Clusters whose pods differ in CPU
  /// have dozens of frequent shapes.
  private static final int MOST = 64;

  /// The expectation without any known gang: 1, 2, 4 and 8 GPUs, equally often.
  private static final List<Expected> UNKNOWN =
      Stream.of(1, 2, 4, 8).map(gpus -> new Expected(RequestShape.ofGpus(gpus), 1)).toList();

  /// Returns the most frequent shapes, at most 64; among equally frequent ones the smallest.
  public List<Expected> top() {
    if (order.isEmpty()) {
      return UNKNOWN;
    }
    List<Expected> top = new ArrayList<>();
    for (Iterator<Expected> each = order.iterator(); each.hasNext() && top.size() < MOST; ) {
      top.add(each.next());
    }
    return top;
  }

  DemandMix plus(RequestShape shape) {
    return add(shape, 1);
  }

  /// Returns the mix after a change of a gang's object, which may change its members' shapes.
  DemandMix recounting(Gang before, Gang after) {
    if (before.members().isEmpty()
        || RequestShape.models(before).equals(RequestShape.models(after))) {
      return this;
    }
    DemandMix counts = this;
    for (MemberId member : before.members().keys()) {
      counts = counts.recounting(before, after, member);
    }
    return counts;
  }

  /// Returns the mix after one member of a gang came, changed or went.
  DemandMix recounting(Gang before, Gang after, MemberId member) {
    if (isAlike(before, after, member)) {
      return this;
    }
    Optional<RequestShape> was = shape(before, member);
    Optional<RequestShape> is = shape(after, member);
    if (was.equals(is)) {
      return this;
    }
    DemandMix less = was.isPresent() ? minus(was.get()) : this;
    return is.isPresent() ? less.plus(is.get()) : less;
  }

  private static Optional<RequestShape> shape(Gang gang, MemberId id) {
    Optional<Member> member = gang.members().get(id).filter(each -> each.request().wantsGpu());
    return member.isPresent() ? Optional.of(RequestShape.of(member.get(), gang)) : Optional.empty();
  }

  /// True if nothing that determines a shape has changed, as in most events (a pod is bound).
  @SuppressWarnings("ReferenceEquality") // unchanged values are one object
  private static boolean isAlike(Gang before, Gang after, MemberId member) {
    Member was = before.members().get(member).orElse(null);
    Member is = after.members().get(member).orElse(null);
    return was != null
        && is != null
        && was.request() == is.request()
        && was.wishes() == is.wishes()
        && RequestShape.models(before).equals(RequestShape.models(after));
  }

  DemandMix minus(RequestShape shape) {
    return add(shape, -1);
  }

  private DemandMix add(RequestShape shape, int members) {
    int before = counts.get(shape).orElse(0);
    Expected old = new Expected(shape, before);
    Expected now = new Expected(shape, before + members);
    var rest = order.without(old);
    return now.count() == 0
        ? new DemandMix(counts.without(shape), rest)
        : new DemandMix(counts.with(shape, now.count()), rest.with(now));
  }
}
