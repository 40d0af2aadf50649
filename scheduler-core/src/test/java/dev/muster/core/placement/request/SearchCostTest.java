package dev.muster.core.placement.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The estimated cost of a placement search bounds exact searches and repeated ones.
class SearchCostTest {
  /// Members of as many kinds as there are numbers, each number of one kind.
  private static List<Member> members(int... counts) {
    GangDraft draft = GangDraft.gang("g");
    for (int kind = 0; kind < counts.length; kind++) {
      draft.of(counts[kind], 1 + kind);
    }
    return Scene.of("b/r: full[#]").arrives(draft).gang("g").waiting();
  }

  private static boolean isExact(int nodes, Integer... counts) {
    return SearchCost.isExact(new CountVectors(List.of(counts)), nodes);
  }

  @Test
  void single_member_costs_nothing() {
    assertThat(SearchCost.of(members(1), 5_000)).isZero();
  }

  private static List<Member> selecting(int members, int conditions) {
    Requirement zone = new Requirement("zone", Operator.EXISTS, List.of());
    NodeSelection zones =
        new NodeSelection(List.of(), Collections.nCopies(conditions, List.of(zone)), List.of());
    GangDraft draft = GangDraft.gang("g").selecting(zones).of(members, 0);
    return Scene.of("b/r: full[#]").arrives(draft).gang("g").waiting();
  }

  @Test
  void usual_node_selection_costs_nothing() {
    assertThat(SearchCost.of(selecting(1, 8), 5_000)).isZero();
  }

  @Test
  void each_condition_beyond_costs_time_on_each_node_for_each_kind() {
    assertThat(SearchCost.of(selecting(1, 50), 5_000)).isEqualTo(42 * 200 * 5_000L);
    assertThat(SearchCost.of(selecting(9, 50), 5_000) - SearchCost.of(selecting(9, 8), 5_000))
        .isEqualTo(42 * 200 * 5_000L);
  }

  @Test
  void members_of_one_kind_cost_their_number_times_those_of_a_node() {
    assertThat(SearchCost.of(members(0, 0, 0, 0, 0, 0, 0, 40), 5_000)).isEqualTo(40 * 2 * 5_000L);
  }

  @Test
  void exact_search_costs_the_square_of_its_states_on_each_node() {
    assertThat(SearchCost.of(members(10, 7), 5_000)).isEqualTo(88L * 88 * 5_000);
  }

  @Test
  void greedy_search_asks_each_node_about_each_kind() {
    assertThat(SearchCost.of(members(1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 50))
        .isEqualTo(10 * 50 * 2_000L);
  }

  @Test
  void states_are_enumerated_where_nodes_are_few() {
    assertThat(isExact(600, 10, 7, 4)).isTrue();
    assertThat(isExact(5_000, 10, 7, 4)).isFalse();
  }

  @Test
  void numbers_of_many_members_without_gpus_are_not_enumerated() {
    KindCounts workers = KindCounts.of(members(2_000));
    KindCounts agents = KindCounts.of(cpuOnly(2_000));
    assertThat(SearchCost.isExact(workers, 1_000)).isTrue();
    assertThat(SearchCost.isExact(agents, 50)).isTrue();
    assertThat(SearchCost.isExact(agents, 1_000)).isFalse();
  }

  private static List<Member> cpuOnly(int number) {
    return Scene.of("b/r: full[#]").arrives(GangDraft.gang("g").of(number, 0)).gang("g").waiting();
  }

  @Test
  void costly_search_is_repeated_less() {
    assertThat(SearchCost.repeats(0, 48)).isEqualTo(48);
    assertThat(SearchCost.repeats(64_000_000, 48)).isEqualTo(10);
    assertThat(SearchCost.repeats(Long.MAX_VALUE, 48)).isEqualTo(2);
  }
}
