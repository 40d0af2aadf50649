package dev.muster.core.placement.greedy;

import dev.muster.core.placement.request.KindCounts;
import java.util.ArrayList;
import java.util.List;

/// As many of a gang's members as find room in one site, in as few of its domains and nodes as can
/// be.
///
/// Goals: use few child domains, and in each of them few, and so on down to the nodes; leave large
/// rooms whole.
///
/// Constraints: a node's free resources; one-per-node marks; nothing of the site is changed.
///
/// Algorithm: at every level take, while something is left to place, the child with the least free
/// GPUs among those that hold all that is left (best fit); when none does, the child that holds the
/// most (largest first), the one with the least left over among equals. For members of one kind
/// largest-first needs the fewest children: every other choice of as many children holds no more.
///
/// Example: six members of 4 GPUs, racks with room for {5, 4, 2}. No rack holds six; the first
/// holds most: five there, one left. The rack with room for 2 is the tightest that holds one: it
/// takes it, and the rack with room for 4 stays whole.
///
/// @param parts what each node takes, in the order taken
/// @param rest what found no room
record GreedyPacking(List<DomainFill> parts, KindCounts rest) {
  /// What one node takes: members of each kind.
  record DomainFill(CandidateSubtree node, List<Integer> taken) {
    int members() {
      return taken.stream().mapToInt(Integer::intValue).sum();
    }
  }

  /// Packs as much as possible into the site.
  static GreedyPacking into(CandidateSubtree subtree, KindCounts kindCounts) {
    if (subtree.candidate().isPresent()) {
      List<Integer> taken = subtree.candidate().get().fill(kindCounts);
      KindCounts rest = kindCounts.minus(taken);
      return new GreedyPacking(
          rest.total() == kindCounts.total() ? List.of() : List.of(new DomainFill(subtree, taken)), rest);
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

  /// A child with what it holds of the first needs; of later, smaller needs it holds no less.
  ///
  /// @param site the child
  /// @param packing what it holds
  private record FreeSlots(CandidateSubtree subtree, GreedyPacking packing) {
    int members() {
      return packing.parts.stream().mapToInt(DomainFill::members).sum();
    }

    /// Whether this child is to be taken before the other, given what is left to place. Ties keep
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
