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

/// Which requests are to be expected: those of the members of all gangs that are known now. It is
/// kept by counting each member as it comes and goes, so that it costs nothing to know.
///
/// @param counts how many members have which shape, 1 or more
/// @param order the same, most frequent first
public record DemandMix(SortedTable<RequestShape, Integer> counts, SortedKeys<Expected> order) {
  /// A shape, and how many members have it.
  public record Expected(RequestShape shape, int count) implements Comparable<Expected> {
    /// The more frequent one first.
    @Override
    public int compareTo(Expected other) {
      int side = Integer.compare(other.count, count);
      return side == 0 ? shape.compareTo(other.shape) : side;
    }
  }

  /// No gang is known.
  public static final DemandMix NONE = new DemandMix(SortedTable.empty(), SortedKeys.empty());

  /// So many shapes are looked at; rarer ones do not count.
  private static final int MOST = 16;

  /// What is expected when no gang is known: 1, 2, 4 and 8 GPUs alike.
  private static final List<Expected> UNKNOWN =
      Stream.of(1, 2, 4, 8).map(gpus -> new Expected(RequestShape.ofGpus(gpus), 1)).toList();

  /// The most frequent shapes, at most 16; of equally frequent ones the smallest.
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

  /// The mix after a gang was declared otherwise: its members may be counted as other shapes.
  DemandMix recounting(Gang before, Gang after) {
    if (before.members().isEmpty() || RequestShape.models(before).equals(RequestShape.models(after))) {
      return this;
    }
    DemandMix counts = this;
    for (MemberId member : before.members().keys()) {
      counts = counts.recounting(before, after, member);
    }
    return counts;
  }

  /// The mix after one member of a gang came, changed or went.
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
    Optional<Member> member = gang.members().get(id);
    return member.isPresent() ? Optional.of(RequestShape.of(member.get(), gang)) : Optional.empty();
  }

  /// Whether nothing that shapes hang on can have changed, as when a pod is bound: most changes.
  @SuppressWarnings("ReferenceEquality") // what did not change is the same object
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
