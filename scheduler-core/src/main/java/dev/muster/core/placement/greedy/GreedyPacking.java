package dev.muster.core.placement.greedy;

import dev.muster.core.placement.request.KindCounts;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The members of a gang that fit in one subtree, packed on few of its domains and nodes.
///
/// Goals: use few child domains, few children of each of these, and so on down to the nodes. Leave
/// large free capacities whole.
///
/// Constraints: the free resources of nodes, and members that allow only one per node. The subtree
/// is not changed.
///
/// Algorithm: at every level, repeat while members are left:
///
/// 1. Among the children that hold all remaining members, take the one with the fewest free GPUs
///    (best fit).
/// 2. If there is none, take the child that holds the most members (largest first). Of equal ones,
///    take the one with the fewest free GPUs.
///
/// For members of one kind, largest first needs the fewest children: no other choice of as many
/// children holds more.
///
/// Example: six members of 4 GPUs, and racks that hold 5, 4 and 2 of them. No rack holds six. The
/// first rack holds the most and takes five; one is left. The rack that holds 2 is the tightest
/// that holds it and takes it. The rack that holds 4 stays whole.
///
/// @param parts members on each node, in the order taken
/// @param rest members that did not fit
record GreedyPacking(List<DomainFill> parts, KindCounts rest) {
  /// One node and the members it takes, counted by kind.
  record DomainFill(CandidateSubtree node, List<Integer> taken) {
    int members() {
      return taken.stream().mapToInt(Integer::intValue).sum();
    }
  }

  /// Packs as many members as possible into the subtree.
  static GreedyPacking into(CandidateSubtree subtree, KindCounts kindCounts) {
    if (subtree.candidate().isPresent()) {
      List<Integer> taken = subtree.candidate().get().fill(kindCounts);
      KindCounts rest = kindCounts.minus(taken);
      return new GreedyPacking(
          rest.total() == kindCounts.total() ? List.of() : List.of(new DomainFill(subtree, taken)),
          rest);
    }
    List<FreeSlots> rooms = new ArrayList<>();
    for (CandidateSubtree child : subtree.children()) {
      int members = kindCounts.total() - into(child, kindCounts).rest.total();
      if (members > 0) {
        rooms.add(new FreeSlots(rooms.size(), child, members));
      }
    }
    return spread(rooms, kindCounts);
  }

  /// Sorts the children once. All of them are asked again only after members were placed: to ask
  /// them for each child is quadratic.
  private static GreedyPacking spread(List<FreeSlots> rooms, KindCounts kindCounts) {
    List<FreeSlots> tightestFirst = sorted(rooms, FreeSlots.TIGHTEST_FIRST);
    List<DomainFill> parts = new ArrayList<>();
    BitSet taken = new BitSet();
    KindCounts left = kindCounts;
    boolean hasProgress = true;
    for (FreeSlots largest : sorted(rooms, FreeSlots.LARGEST_FIRST)) {
      if (left.areMet()) {
        break;
      }
      Optional<GreedyPacking> whole =
          hasProgress && largest.members() >= left.total()
              ? whole(tightestFirst, taken, left)
              : Optional.empty();
      GreedyPacking packing = whole.isPresent() ? whole.get() : into(largest.subtree(), left);
      taken.set(largest.order());
      parts.addAll(packing.parts);
      hasProgress = packing.rest.total() < left.total();
      left = packing.rest;
    }
    return new GreedyPacking(parts, left);
  }

  private static List<FreeSlots> sorted(List<FreeSlots> rooms, Comparator<FreeSlots> order) {
    List<FreeSlots> sorted = new ArrayList<>(rooms);
    sorted.sort(order); // stable: ties keep the order of the children
    return sorted;
  }

  /// Returns a packing of all these members in the tightest child that holds them, if any does.
  private static Optional<GreedyPacking> whole(
      List<FreeSlots> tightestFirst, BitSet taken, KindCounts left) {
    for (FreeSlots room : tightestFirst) {
      if (!taken.get(room.order()) && room.mayHold(left)) {
        GreedyPacking packing = into(room.subtree(), left);
        if (packing.isWhole()) {
          return Optional.of(packing);
        }
      }
    }
    return Optional.empty();
  }

  boolean isWhole() {
    return rest.areMet();
  }

  /// A child that holds members of the initial demand.
  ///
  /// @param order position among the children
  /// @param members number of members of the initial demand that it holds, at least 1
  private record FreeSlots(int order, CandidateSubtree subtree, int members) {
    static final Comparator<FreeSlots> TIGHTEST_FIRST =
        Comparator.comparingLong(room -> room.subtree.freeGpus());

    static final Comparator<FreeSlots> LARGEST_FIRST =
        Comparator.comparingInt(FreeSlots::members).reversed().thenComparing(TIGHTEST_FIRST);

    /// False if it cannot hold all members that are left, by numbers that are quickly compared.
    boolean mayHold(KindCounts left) {
      return members >= left.total() && subtree.freeGpus() >= left.gpus();
    }
  }
}
