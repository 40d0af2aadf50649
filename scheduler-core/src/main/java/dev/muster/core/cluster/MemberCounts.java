package dev.muster.core.cluster;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Numbers of a gang's members by state, updated member by member.
///
/// An event about one pod of a thousand must not cost a look at all of them.
///
/// @param bound members bound to a node
/// @param wanting members that wait for a node
/// @param heldByOthers members with a gate of another controller
/// @param succeeded members that ended with success
/// @param failed members that ended with a failure
/// @param stopping members that terminate on a node
/// @param lowest the lowest priority
/// @param ranks the order by rank
public record MemberCounts(
    int bound,
    int wanting,
    int heldByOthers,
    int succeeded,
    int failed,
    int stopping,
    LowestPriority lowest,
    Ranks ranks) {
  /// Marks of members. A gang can have thousands of ended members, and few others.
  static final int WANTING = 1;

  static final int BOUND = 2;
  static final int STOPPING = 4;
  static final int SUCCEEDED = 8;
  static final int OTHER = 16;

  static final MemberCounts NONE =
      new MemberCounts(0, 0, 0, 0, 0, 0, LowestPriority.NONE, Ranks.NONE);

  /// The lowest priority of members.
  ///
  /// @param value the lowest priority; 0 without members
  /// @param members number of members with it
  /// @param higher numbers of members with each higher priority, 1 or more each
  record LowestPriority(int value, int members, SortedTable<Integer, Integer> higher) {
    static final LowestPriority NONE = new LowestPriority(0, 0, SortedTable.empty());

    LowestPriority plus(int priority) {
      if (members == 0) {
        return new LowestPriority(priority, 1, higher);
      }
      if (priority < value) {
        return new LowestPriority(priority, 1, higher.with(value, members));
      }
      return add(priority, 1);
    }

    LowestPriority minus(int priority) {
      LowestPriority rest = add(priority, -1);
      if (rest.members > 0 || higher.isEmpty()) {
        return rest.members > 0 ? rest : NONE;
      }
      int next = higher.keys().getFirst();
      return new LowestPriority(next, higher.values().getFirst(), higher.without(next));
    }

    private LowestPriority add(int priority, int more) {
      if (priority == value) {
        return new LowestPriority(value, members + more, higher);
      }
      int sum = higher.get(priority).orElse(0) + more;
      return new LowestPriority(
          value, members, sum == 0 ? higher.without(priority) : higher.with(priority, sum));
    }
  }

  /// The members by rank, then by id. A gang of one member has no table.
  ///
  /// @param first the first member
  /// @param others places of the other members
  record Ranks(Optional<Member> first, SortedKeys<Place> others) {
    static final Ranks NONE = new Ranks(Optional.empty(), SortedKeys.empty());

    Ranks plus(Member member) {
      if (first.isEmpty()) {
        return new Ranks(Optional.of(member), others);
      }
      return Member.BY_RANK.compare(member, first.get()) < 0
          ? new Ranks(Optional.of(member), others.with(Place.of(first.get())))
          : new Ranks(first, others.with(Place.of(member)));
    }

    /// @param members all members, possibly with the one that is removed
    Ranks minus(Member member, SortedTable<MemberId, Member> members) {
      if (!isFirst(member)) {
        return new Ranks(first, others.without(Place.of(member)));
      }
      if (others.isEmpty()) {
        return NONE;
      }
      Place next = others.asList().getFirst();
      return new Ranks(members.get(next.id()), others.without(next));
    }

    Ranks replacing(Member member) {
      return isFirst(member) ? new Ranks(Optional.of(member), others) : this;
    }

    private boolean isFirst(Member member) {
      return first.isPresent() && first.get().id().equals(member.id());
    }
  }

  /// The place of a member in the order by rank.
  record Place(long rank, MemberId id) implements Comparable<Place> {
    static Place of(Member member) {
      return new Place(member.rank(), member.id());
    }

    @Override
    public int compareTo(Place other) {
      int side = Long.compare(rank, other.rank);
      return side == 0 ? id.compareTo(other.id) : side;
    }
  }

  static MemberCounts of(SortedTable<MemberId, Member> members) {
    MemberCounts count = NONE;
    for (Member member : members) {
      count = count.plus(member);
    }
    return count;
  }

  /// Returns the lowest priority; 0 without members.
  public int priority() {
    return lowest.value;
  }

  /// Returns the first member by rank.
  public Optional<Member> first() {
    return ranks.first;
  }

  /// Returns the counts after a member came, went or changed.
  ///
  /// @param members all members after that
  MemberCounts after(
      Optional<Member> before, Optional<Member> now, SortedTable<MemberId, Member> members) {
    if (before.isPresent() && now.isPresent() && hasSamePlace(before.get(), now.get())) {
      return counting(before.get(), -1).counting(now.get(), 1).ranked(ranks.replacing(now.get()));
    }
    MemberCounts rest = before.isPresent() ? minus(before.get(), members) : this;
    return now.isPresent() ? rest.plus(now.get()) : rest;
  }

  private static boolean hasSamePlace(Member before, Member now) {
    return before.rank() == now.rank() && before.priority() == now.priority();
  }

  private MemberCounts plus(Member member) {
    return counting(member, 1).led(lowest.plus(member.priority()), ranks.plus(member));
  }

  private MemberCounts minus(Member member, SortedTable<MemberId, Member> members) {
    return counting(member, -1).led(lowest.minus(member.priority()), ranks.minus(member, members));
  }

  private MemberCounts ranked(Ranks order) {
    return led(lowest, order);
  }

  private MemberCounts led(LowestPriority priority, Ranks order) {
    return new MemberCounts(
        bound, wanting, heldByOthers, succeeded, failed, stopping, priority, order);
  }

  private MemberCounts counting(Member member, int times) {
    boolean held = member.state() instanceof MemberState.Held && !member.wantsNode();
    boolean well = member.hasSucceeded();
    boolean ended = member.state() instanceof MemberState.Ended;
    boolean stops = member.state() instanceof MemberState.Leaving && member.node().isPresent();
    return new MemberCounts(
        bound + (member.isBound() ? times : 0),
        wanting + (member.wantsNode() ? times : 0),
        heldByOthers + (held ? times : 0),
        succeeded + (well ? times : 0),
        failed + (ended && !well ? times : 0),
        stopping + (stops ? times : 0),
        lowest,
        ranks);
  }

  /// Returns the mark of the member.
  static int mark(Member member) {
    return switch (member.state()) {
      case MemberState.Bound _ -> BOUND;
      case MemberState.Leaving(var node, _) -> node.isPresent() ? STOPPING : OTHER;
      case MemberState.Ended(boolean succeeded, _) -> succeeded ? SUCCEEDED : OTHER;
      case MemberState.Waiting _, MemberState.Held _ -> member.wantsNode() ? WANTING : OTHER;
    };
  }

  /// Returns the GPUs of so many members with the fewest GPUs, of all if there are fewer. Only
  /// members that wait for a node and have no promise count.
  public static int smallest(Gang gang, Optional<Reservation> held, int number) {
    return smallest(open(gang, held), number);
  }

  static int smallest(SortedMap<Integer, Integer> numbers, int number) {
    int left = number;
    int gpus = 0;
    for (var alike : numbers.entrySet()) {
      int taken = Math.min(left, alike.getValue());
      gpus += taken * alike.getKey();
      left -= taken;
    }
    return gpus;
  }

  /// Returns the numbers of members that wait for a node and have no promise, by their GPUs. They
  /// are counted and not sorted: a gang can have thousands, and each event asks.
  static SortedMap<Integer, Integer> open(Gang gang, Optional<Reservation> held) {
    TreeMap<Integer, Integer> numbers = new TreeMap<>();
    for (Member member : gang.wanting()) {
      if (isOpen(member, held)) {
        numbers.merge(member.request().gpus(), 1, Integer::sum);
      }
    }
    return numbers;
  }

  static boolean isOpen(Member member, Optional<Reservation> held) {
    return held.isEmpty() || !held.get().promises().contains(member.id());
  }
}
