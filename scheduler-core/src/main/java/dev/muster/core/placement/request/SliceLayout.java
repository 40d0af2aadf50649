package dev.muster.core.placement.request;

import dev.muster.core.gang.Member;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// A gang cut into slices, each of which lies inside one domain of a level.
///
/// Slices are counted over all members of the gang in rank order, finished members included. A
/// member that comes later, or replaces another, so belongs to the slice of its neighbours. If
/// these have places already, the slice is bound to their domain.
///
/// Slices are of one sort, and interchangeable, if they have equal numbers of members of each kind
/// and are bound to equal domains or to none.
///
/// @param depth depth of the level
/// @param vectors encoding of the numbers of slices of each sort
/// @param sorts the slices by sort
public record SliceLayout(int depth, CountVectors vectors, List<SliceClass> sorts) {
  /// Interchangeable slices.
  ///
  /// @param members members of one slice, as a state of [CountVectors]
  /// @param pin domain of the level to which they are bound
  /// @param slices members to be placed of each slice, in rank order
  public record SliceClass(int members, Optional<DomainPath> pin, List<List<Member>> slices) {}

  private record Key(List<Integer> counts, Optional<DomainPath> pin) {}

  /// Cuts the gang into slices.
  ///
  /// @param size members in a slice
  /// @param depth depth of the level
  static SliceLayout of(PlacedMembers placed, KindCounts kindCounts, int size, int depth) {
    CountVectors kinds = new CountVectors(kindCounts.counts());
    List<Member> all = placed.inRankOrder();
    LinkedHashMap<Key, SliceClass> sorts = new LinkedHashMap<>();
    for (int from = 0; from < all.size(); from += size) {
      List<Member> slice = all.subList(from, Math.min(all.size(), from + size));
      List<Member> fresh = slice.stream().filter(placed::isNew).toList();
      if (!fresh.isEmpty()) {
        Key key = new Key(counts(fresh, kindCounts), pin(slice, placed, depth));
        sorts
            .computeIfAbsent(key, k -> new SliceClass(kinds.of(k.counts), k.pin, new ArrayList<>()))
            .slices()
            .add(fresh);
      }
    }
    List<SliceClass> list = List.copyOf(sorts.values());
    CountVectors vectors =
        new CountVectors(list.stream().map(sort -> sort.slices().size()).toList());
    return new SliceLayout(depth, vectors, list);
  }

  private static List<Integer> counts(List<Member> members, KindCounts kindCounts) {
    List<Integer> counts = new ArrayList<>(Collections.nCopies(kindCounts.kinds().size(), 0));
    for (Member member : members) {
      int kind = kindCounts.kinds().indexOf(member.request());
      counts.set(kind, counts.get(kind) + 1);
    }
    return counts;
  }

  private static Optional<DomainPath> pin(List<Member> slice, PlacedMembers placed, int depth) {
    for (Member member : slice) {
      Optional<NodeState> node = placed.placeOf(member);
      if (node.isPresent()) {
        return Optional.of(node.get().place(depth));
      }
    }
    return Optional.empty();
  }

  /// Returns the members, as a state, of these slices.
  public int members(int state) {
    int members = 0;
    for (int sort = 0; sort < sorts.size(); sort++) {
      members += vectors.count(state, sort) * sorts.get(sort).members();
    }
    return members;
  }

  /// True if no slice among these is bound to a domain other than this one.
  public boolean allows(int state, DomainPath place) {
    for (int sort = 0; sort < sorts.size(); sort++) {
      Optional<DomainPath> pin = sorts.get(sort).pin();
      if (pin.isPresent() && vectors.count(state, sort) > 0 && !pin.get().equals(place)) {
        return false;
      }
    }
    return true;
  }

  /// True if a slice is bound to a domain.
  public boolean hasPins() {
    return sorts.stream().anyMatch(sort -> sort.pin().isPresent());
  }
}
