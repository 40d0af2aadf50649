package dev.muster.core.cycle;

import dev.muster.core.fit.Remedy;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.placement.request.SearchCost;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.PendingMembers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The members of an elastic gang that start, where those of the lowest ranks cannot.
///
/// *Goals:* a gang starts if any members of it can that its minimum allows. Among those the lowest
/// ranks start.
///
/// *Constraints:* a placement search costs much, so steps 3 and 4 end after a number of them
/// ([#SEARCHES], fewer if one costs more than most). The steps before them need one search for each
/// kind, up to [#KINDS], and one for each halving of the number of members. Members with equal
/// requests are interchangeable, so only the numbers of each kind count.
///
/// *Algorithm:*
///
/// 1. Kinds of which not even one member can ever run are left out. If there are any, the lowest
///    ranks of the others are placed: as many as may start, then half as many, and so on.
/// 2. The smallest members that the minimum needs are placed. If they do not fit, and each kind
///    asks for no less than the one before it, no others fit.
/// 3. The members are taken in rank order: each one that fits together with those taken before it
///    and the smallest of the rest. This gives the lowest ranks that can start.
/// 4. Where kinds ask for more of one resource and less of another, "smallest" is not enough. Then
///    all numbers of members by kind are tried, lowest ranks first, within the limit.
///
/// *Example:* a minimum of 2, members of 8, 8, 2 and 1 GPUs, nodes with 8 and 2 free: the first and
/// the third member start.
final class StartableMembers {
  /// The largest number of placement searches after which no further members are tried.
  private static final int SEARCHES = 48;

  /// The number of kinds of which a single member is tried.
  private static final int KINDS = 16;

  private final int least;
  private final Function<List<Member>, SearchResult> search;
  private final List<Request> kinds = new ArrayList<>();
  private final Map<List<Integer>, SearchResult> known = new LinkedHashMap<>();
  private final int searchesAtMost;
  private List<Member> members;
  private int searches;

  /// The members that were searched places for, with the result.
  record Choice(List<Member> members, SearchResult result) {
    boolean isFound() {
      return result instanceof SearchResult.Found;
    }
  }

  private StartableMembers(
      List<Member> members, int least, int nodes, Function<List<Member>, SearchResult> search) {
    this.members = members;
    this.least = least;
    this.search = search;
    this.searchesAtMost = SearchCost.repeats(SearchCost.of(members, nodes), SEARCHES);
    members.stream().map(Member::request).distinct().forEach(kinds::add);
  }

  /// Returns other members to start than those of the lowest ranks, which cannot.
  ///
  /// @param members all members without a place, in rank order, of several kinds
  /// @param most number of members that may start at once, by their maximum and the quota
  /// @param least number of members that must start
  /// @param nodes number of nodes that a search may examine
  /// @param search searches places for exactly these members
  static Choice of(
      List<Member> members,
      int most,
      int least,
      int nodes,
      Function<List<Member>, SearchResult> search) {
    return new StartableMembers(members, least, nodes, search).choose(most);
  }

  private Choice choose(int most) {
    List<Member> all = members;
    Optional<Choice> never = dropImpossible();
    if (members.size() < least) {
      return never.orElseThrow();
    }
    for (int size = Math.min(most, members.size());
        members.size() < all.size() && size > least;
        size = Math.max(least, size / 2)) {
      Choice first = place(members.subList(0, size));
      if (first.isFound()) {
        return first;
      }
    }
    Choice smallest = place(PendingMembers.smallest(members, least));
    if (PendingMembers.areNested(kinds)) {
      return smallest.isFound() ? lowestRanks(smallest) : smallest;
    }
    return anyNumbers().orElseGet(() -> smallest.isFound() ? lowestRanks(smallest) : smallest);
  }

  /// Leaves out members that can never run; returns the answer for one of them.
  private Optional<Choice> dropImpossible() {
    Optional<Choice> never = Optional.empty();
    List<Request> impossible = new ArrayList<>();
    for (Request kind : kinds.subList(0, Math.min(KINDS, kinds.size()))) {
      Choice alone = place(List.of(firstOf(kind)));
      if (alone.result() instanceof SearchResult.NotFound none
          && none.main().remedy() == Remedy.NEVER) {
        impossible.add(kind);
        never = never.or(() -> Optional.of(alone));
      }
    }
    members = members.stream().filter(m -> !impossible.contains(m.request())).toList();
    kinds.removeAll(impossible);
    return never;
  }

  private Member firstOf(Request kind) {
    return members.stream().filter(m -> m.request().equals(kind)).findFirst().orElseThrow();
  }

  private Choice place(List<Member> chosen) {
    List<Member> ranked = chosen.stream().sorted(Member.BY_RANK).toList();
    List<Integer> numbers = new ArrayList<>();
    for (Request kind : kinds) {
      numbers.add((int) ranked.stream().filter(m -> m.request().equals(kind)).count());
    }
    SearchResult result = known.get(numbers);
    if (result == null || result instanceof SearchResult.Found) { // it names its members
      result = search.apply(ranked);
      known.put(numbers, result);
      searches++;
    }
    return new Choice(ranked, result);
  }

  /// Replaces members by others of lower ranks, as long as the result fits.
  private Choice lowestRanks(Choice smallest) {
    Choice best = smallest;
    List<Member> taken = new ArrayList<>();
    List<Request> refused = new ArrayList<>();
    for (int i = 0; i < members.size() && taken.size() < least; i++) {
      Member next = members.get(i);
      if (refused.contains(next.request())) {
        continue;
      }
      List<Member> tried = new ArrayList<>(taken);
      tried.add(next);
      List<Member> rest =
          members.subList(i + 1, members.size()).stream()
              .filter(m -> !refused.contains(m.request()))
              .toList();
      tried.addAll(PendingMembers.smallest(rest, Math.min(rest.size(), least - tried.size())));
      if (tried.size() < least || searches >= searchesAtMost) {
        break;
      }
      tried.sort(Member.BY_RANK);
      Choice choice = tried.equals(best.members()) ? best : place(tried);
      if (choice.isFound()) {
        best = choice;
        taken.add(next);
      } else {
        refused.add(next.request());
      }
    }
    return best;
  }

  /// Tries all numbers of members by kind, those with the lowest ranks first.
  private Optional<Choice> anyNumbers() {
    List<List<Member>> sets = new ArrayList<>();
    Map<Request, List<Member>> byKind = new LinkedHashMap<>();
    members.forEach(m -> byKind.computeIfAbsent(m.request(), _ -> new ArrayList<>()).add(m));
    collect(List.copyOf(byKind.values()), 0, List.of(), sets);
    if (sets.size() > searchesAtMost) {
      return Optional.empty();
    }
    sets.sort(StartableMembers::byRanks);
    return sets.stream().map(this::place).filter(Choice::isFound).findFirst();
  }

  /// Collects the sets. Each call leads to at least one set, so the work ends soon after the limit:
  /// a kind gives at least as many members as the kinds after it cannot.
  private void collect(
      List<List<Member>> byKind, int kind, List<Member> chosen, List<List<Member>> sets) {
    if (sets.size() > searchesAtMost) {
      return;
    }
    if (kind == byKind.size()) {
      if (chosen.size() == least) {
        sets.add(chosen.stream().sorted(Member.BY_RANK).toList());
      }
      return;
    }
    List<Member> here = byKind.get(kind);
    int later = byKind.subList(kind + 1, byKind.size()).stream().mapToInt(List::size).sum();
    int missing = least - chosen.size();
    for (int number = Math.min(here.size(), missing);
        number >= Math.max(0, missing - later);
        number--) {
      List<Member> more = new ArrayList<>(chosen);
      more.addAll(here.subList(0, number));
      collect(byKind, kind + 1, more, sets);
    }
  }

  private static int byRanks(List<Member> a, List<Member> b) {
    for (int i = 0; i < a.size(); i++) {
      int side = Member.BY_RANK.compare(a.get(i), b.get(i));
      if (side != 0) {
        return side;
      }
    }
    return 0;
  }
}
