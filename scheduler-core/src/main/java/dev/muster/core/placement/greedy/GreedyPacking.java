package dev.muster.core.placement.greedy;

import dev.muster.core.placement.request.KindCounts;
import java.util.ArrayList;
import java.util.List;

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
      GreedyPacking packing = into(child, kindCounts);
      if (!packing.parts.isEmpty()) {
        rooms.add(new FreeSlots(child, packing));
      }
    }
    return spread(rooms, kindCounts);
  }

  private static GreedyPacking spread(List<FreeSlots> rooms, KindCounts kindCounts) {
    List<DomainFill> parts = new ArrayList<>();
    KindCounts left = kindCounts;
    while (!left.areMet() && !rooms.isEmpty()) {
      FreeSlots best = rooms.getFirst();
      for (FreeSlots room : rooms) {
        best = room.isBetterThan(best, left) ? room : best;
      }
      rooms.remove(best);
      GreedyPacking packing = into(best.subtree(), left);
      parts.addAll(packing.parts);
      left = packing.rest;
    }
    return new GreedyPacking(parts, left);
  }

  boolean isWhole() {
    return rest.areMet();
  }

  /// A child with its packing of the initial demand. Of a later, smaller demand it holds no less.
  ///
  /// @param subtree the child
  /// @param packing members of the initial demand that it holds
  private record FreeSlots(CandidateSubtree subtree, GreedyPacking packing) {
    int members() {
      return packing.parts.stream().mapToInt(DomainFill::members).sum();
    }

    /// True if this child is to be taken before the other, for the members that are left. Ties keep
    /// the order of the children.
    boolean isBetterThan(FreeSlots other, KindCounts left) {
      boolean holds = holds(left);
      boolean otherHolds = other.holds(left);
      if (holds != otherHolds) {
        return holds;
      }
      if (!holds && members() != other.members()) {
        return members() > other.members();
      }
      return subtree.freeGpus() < other.subtree.freeGpus();
    }

    private boolean holds(KindCounts left) {
      return members() >= left.total() && into(subtree, left).isWhole();
    }
  }
}
