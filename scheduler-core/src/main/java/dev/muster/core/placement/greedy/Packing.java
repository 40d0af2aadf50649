package dev.muster.core.placement.greedy;

import dev.muster.core.placement.request.Needs;
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
record Packing(List<Part> parts, Needs rest) {
  /// What one node takes: members of each kind.
  record Part(Site node, List<Integer> taken) {
    int members() {
      return taken.stream().mapToInt(Integer::intValue).sum();
    }
  }

  /// Packs as much as possible into the site.
  static Packing into(Site site, Needs needs) {
    if (site.offer().isPresent()) {
      List<Integer> taken = site.offer().get().fill(needs);
      Needs rest = needs.minus(taken);
      return new Packing(
          rest.total() == needs.total() ? List.of() : List.of(new Part(site, taken)), rest);
    }
    List<Room> rooms = new ArrayList<>();
    for (Site child : site.children()) {
      Packing packing = into(child, needs);
      if (!packing.parts.isEmpty()) {
        rooms.add(new Room(child, packing));
      }
    }
    return spread(rooms, needs);
  }

  private static Packing spread(List<Room> rooms, Needs needs) {
    List<Part> parts = new ArrayList<>();
    Needs left = needs;
    while (!left.areMet() && !rooms.isEmpty()) {
      Room best = rooms.getFirst();
      for (Room room : rooms) {
        best = room.isBetterThan(best, left) ? room : best;
      }
      rooms.remove(best);
      Packing packing = into(best.site(), left);
      parts.addAll(packing.parts);
      left = packing.rest;
    }
    return new Packing(parts, left);
  }

  boolean isWhole() {
    return rest.areMet();
  }

  /// A child with what it holds of the first needs; of later, smaller needs it holds no less.
  ///
  /// @param site the child
  /// @param packing what it holds
  private record Room(Site site, Packing packing) {
    int members() {
      return packing.parts.stream().mapToInt(Part::members).sum();
    }

    /// Whether this child is to be taken before the other, given what is left to place. Ties keep
    /// the order of the children.
    boolean isBetterThan(Room other, Needs left) {
      boolean holds = holds(left);
      boolean otherHolds = other.holds(left);
      if (holds != otherHolds) {
        return holds;
      }
      if (!holds && members() != other.members()) {
        return members() > other.members();
      }
      return site.freeGpus() < other.site.freeGpus();
    }

    private boolean holds(Needs left) {
      return members() >= left.total() && into(site, left).isWhole();
    }
  }
}
