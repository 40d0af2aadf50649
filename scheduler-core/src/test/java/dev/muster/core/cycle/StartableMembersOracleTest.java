package dev.muster.core.cycle;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.fit.Remedy;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// The members chosen to start are compared with all sets of members. Each case is a seed, which
/// jqwik prints.
class StartableMembersOracleTest {
  /// A gang and a cluster in which its members of the lowest ranks may not fit.
  ///
  /// @param members members in rank order
  /// @param most the number that may start
  /// @param least the number that must start
  private record Trial(Cluster cluster, Gang gang, List<Member> members, int most, int least) {
    static Trial of(String drawing, GangDraft draft, int most, int least) {
      Gang gang = Scene.of("b/r: full[#]").arrives(draft).gang("a");
      List<Member> members = gang.members().values().stream().sorted(Member.BY_RANK).toList();
      return new Trial(Scene.of(drawing).cluster(), gang, members, most, least);
    }

    StartableMembers.Choice choice() {
      return StartableMembers.of(members, most, least, cluster.nodes().size(), this::search);
    }

    List<Member> chosen() {
      StartableMembers.Choice choice = choice();
      assertThat(choice.isFound())
          .isEqualTo(search(choice.members()) instanceof SearchResult.Found);
      return choice.isFound() ? choice.members() : List.of();
    }

    SearchResult search(List<Member> some) {
      return PlacementSearch.search(cluster, gang, some, SortedKeys.empty());
    }

    boolean fits(List<Member> some) {
      return search(some) instanceof SearchResult.Found;
    }

    /// Returns the members that could run alone on an empty cluster.
    List<Member> possible() {
      return members.stream().filter(member -> !isImpossible(member)).toList();
    }

    private boolean isImpossible(Member member) {
      return search(List.of(member)) instanceof SearchResult.NotFound none
          && none.main().remedy() == Remedy.NEVER;
    }

    /// Returns the fitting set of the least size with the lowest ranks: sets are tried in the order
    /// of their ranks.
    Optional<List<Member>> lowest() {
      return IntStream.range(0, 1 << members.size())
          .map(set -> (1 << members.size()) - 1 - set)
          .filter(set -> Integer.bitCount(set) == least)
          .mapToObj(this::members)
          .filter(this::fits)
          .findFirst();
    }

    /// Returns the members of a set. Its highest bit is the lowest rank.
    private List<Member> members(int set) {
      int last = members.size() - 1;
      return IntStream.rangeClosed(0, last)
          .filter(i -> (set >> (last - i) & 1) == 1)
          .mapToObj(members::get)
          .toList();
    }
  }

  /// Each of their requests asks for no less of anything than the one before it.
  @Property(tries = 150)
  void members_of_the_lowest_ranks_that_fit_start(@ForAll @IntRange(min = 0) int seed) {
    check(drawn(seed, false));
  }

  /// Whole GPUs, shares of one, and any number of cores: no member is the smallest.
  @Property(tries = 150)
  void members_of_any_kinds_with_the_lowest_ranks_start(@ForAll @IntRange(min = 0) int seed) {
    check(drawn(seed, true));
  }

  private static void check(Trial trial) {
    List<Member> chosen = trial.chosen();
    List<Member> possible = trial.possible();
    if (chosen.size() > trial.least()) { // members were left out, and more than the minimum fit
      assertThat(chosen).isEqualTo(possible.subList(0, chosen.size()));
      assertThat(chosen).hasSizeLessThanOrEqualTo(trial.most());
    } else {
      assertThat(chosen).isEqualTo(trial.lowest().orElse(List.of()));
    }
    List<Member> all = possible.subList(0, Math.min(trial.most(), possible.size()));
    if (possible.size() < trial.members().size()
        && all.size() >= trial.least()
        && trial.fits(all)) {
      assertThat(chosen).isEqualTo(all);
    }
  }

  private static Trial drawn(int seed, boolean mixed) {
    Random random = new Random(seed);
    StringBuilder drawing = new StringBuilder("b/r:");
    for (int node = 0; node < 1 + random.nextInt(3); node++) {
      int free = random.nextInt(5);
      drawing.append(" n%d[%s]".formatted(node, ".".repeat(free) + "#".repeat(4 - free)));
    }
    int size = 2 + random.nextInt(5);
    GangDraft draft = gang("a").minCount(1);
    for (int rank = 0; rank < size; rank++) {
      if (mixed && random.nextInt(3) == 0) {
        draft.ofParts(1, 250 * (1 + random.nextInt(3)));
      } else {
        int gpus = 1 + random.nextInt(5);
        (mixed ? draft.cores(1 + random.nextInt(99)) : draft).of(1, gpus);
      }
    }
    int least = 1 + random.nextInt(size);
    return Trial.of(drawing.toString(), draft, least + random.nextInt(size), least);
  }

  /// Ranks 0 and 3 fit; so do ranks 2 and 3, which are smaller.
  @Test
  void higher_ranks_start_only_if_lower_ones_do_not_fit() {
    GangDraft draft = gang("a").of(1, 4).of(1, 4).of(1, 2).of(1, 1);
    Trial trial = Trial.of("b/r: n1[....] n2[.###]", draft, 4, 2);
    assertThat(trial.chosen()).extracting(Member::rank).containsExactly(0L, 3L);
  }

  /// A node has 100 cores. The two of one GPU need 120, so one of two GPUs must take part.
  @Test
  void members_of_the_fewest_gpus_may_need_too_many_cores_together() {
    GangDraft draft = gang("a").cores(60).of(2, 1).cores(10).of(1, 2);
    Trial trial = Trial.of("b/r: n1[...#]", draft, 3, 2);
    assertThat(trial.chosen()).extracting(Member::rank).containsExactly(0L, 2L);
  }

  /// Two members of the first kind do not fit, and neither does one of each.
  @Test
  void members_of_higher_ranks_alone_start_if_no_others_fit() {
    GangDraft draft = gang("a").cores(90).of(2, 1).cores(20).of(2, 2);
    Trial trial = Trial.of("b/r: n1[....]", draft, 4, 2);
    assertThat(trial.chosen()).extracting(Member::rank).containsExactly(2L, 3L);
  }

  /// There are 2 to the power of 40 sets of members. Each search takes the time of a placement.
  @Test
  void number_of_searches_is_bounded() {
    assertThat(searches("b/r: n1[....] n2[....]", 20, 2)).isBetween(16, 70);
  }

  /// On many nodes, a search for 40 kinds of members takes much longer.
  @Test
  void searches_that_cost_much_are_fewer() {
    String drawing = "b/r: n1[........] n2[........] n3[........]";
    assertThat(searches(drawing, 12, 3)).isGreaterThan(20);
    assertThat(searches(drawing, 12, 5_000)).isBetween(16, 20);
  }

  private static int searches(String drawing, int least, int nodes) {
    GangDraft draft = gang("a");
    IntStream.range(0, 40).forEach(i -> draft.ofParts(1, 600 + i).cores(1 + i).of(1, 1 + i % 4));
    Trial trial = Trial.of(drawing, draft, 80, least);
    List<List<Member>> searches = new ArrayList<>();
    StartableMembers.of(
        trial.members(),
        80,
        least,
        nodes,
        members -> {
          searches.add(members);
          return trial.search(members);
        });
    return searches.size();
  }
}
