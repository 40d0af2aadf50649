package dev.muster.core.placement.request;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;

/// The number of members of each kind that still need a node. Members with equal requests are of
/// one kind. The biggest kind comes first, because big members are the hardest to place.
///
/// @param kinds the requests, biggest first
/// @param counts members of each kind, 0 or more
public record KindCounts(List<Request> kinds, List<Integer> counts) {
  private static final Comparator<Request> BIGGEST_FIRST =
      Comparator.comparingInt(Request::gpus)
          .thenComparingInt(Request::gpuMilli)
          .thenComparingLong(request -> request.resources().get(Resources.CPU))
          .thenComparingLong(request -> request.resources().get(Resources.MEMORY))
          .thenComparing(request -> request.resources().toString())
          .reversed();

  /// Counts these members, which are given in rank order, by kind.
  public static KindCounts of(List<Member> members) {
    if (members.size() == 1) {
      return new KindCounts(List.of(members.getFirst().request()), List.of(1));
    }
    LinkedHashMap<Request, Integer> byKind = new LinkedHashMap<>();
    members.forEach(member -> byKind.merge(member.request(), 1, Integer::sum));
    List<Request> kinds = new ArrayList<>(byKind.keySet());
    kinds.sort(BIGGEST_FIRST); // stable: equal sizes stay in rank order
    return new KindCounts(
        List.copyOf(kinds),
        List.copyOf(kinds.stream().map(kind -> byKind.getOrDefault(kind, 0)).toList()));
  }

  public boolean areMet() {
    return total() == 0;
  }

  public int total() {
    int total = 0;
    for (int count : counts) {
      total += count;
    }
    return total;
  }

  public KindCounts minus(List<Integer> taken) {
    List<Integer> rest = new ArrayList<>();
    for (int kind = 0; kind < counts.size(); kind++) {
      rest.add(counts.get(kind) - taken.get(kind));
    }
    return new KindCounts(kinds, rest);
  }

  /// Returns the resources of all members together.
  public Resources resources() {
    Resources sum = Resources.NONE;
    for (int kind = 0; kind < counts.size(); kind++) {
      sum = sum.plus(kinds.get(kind).resources().times(counts.get(kind)));
    }
    return sum;
  }

  /// Returns the whole GPUs of all members together.
  public long gpus() {
    long gpus = 0;
    for (int kind = 0; kind < counts.size(); kind++) {
      gpus += (long) kinds.get(kind).gpus() * counts.get(kind);
    }
    return gpus;
  }
}
