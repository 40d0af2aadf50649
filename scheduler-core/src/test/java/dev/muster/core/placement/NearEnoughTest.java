package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.kit.Scene;
import org.junit.jupiter.api.Test;

/// Inside the preferred level, what is left behind decides before the number of nodes.
class NearEnoughTest {
  private static final String ONE_RACK = "b/r1: n1[##..] n2[##..] n3[....]";

  @Test
  void gang_fills_used_nodes_of_the_rack_before_a_whole_one() {
    assertThat(Scene.of(ONE_RACK).arrives(gang("a").near("rack").of(2, 2)).nodesOf("a"))
        .containsExactly("n1", "n2");
  }

  @Test
  void gang_without_a_preferred_level_uses_the_fewest_nodes() {
    assertThat(Scene.of(ONE_RACK).arrives(gang("a").of(2, 2)).nodesOf("a"))
        .containsExactly("n3", "n3");
    assertThat(Scene.of(ONE_RACK).arrives(gang("b").near("node").of(2, 2)).nodesOf("b"))
        .containsExactly("n3", "n3");
  }

  @Test
  void balanced_gang_uses_the_fewest_nodes() {
    assertThat(Scene.of(ONE_RACK).arrives(gang("a").near("rack").balanced().of(2, 2)).nodesOf("a"))
        .containsExactly("n3", "n3");
  }

  @Test
  void gang_stays_in_one_rack_where_several_would_leave_less_behind() {
    Scene scene =
        Scene.of("b/r1: n1[##..] n2[....]\nb/r2: n3[##..] n4[....]")
            .arrives(gang("a").near("rack").of(2, 2));
    assertThat(scene.racksOf("a")).hasSize(1);
  }

  @Test
  void racks_of_the_preferred_block_do_not_count() {
    Scene scene =
        Scene.of("b1/r1: n1[##..] n2[....]\nb1/r2: n3[##..] n4[....]\nb2/r3: n5[....] n6[....]")
            .arrives(gang("a").near("block").of(2, 2));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n3");
  }

  @Test
  void gang_that_no_rack_holds_uses_the_fewest_racks() {
    Scene scene =
        Scene.of("b/r1: n1[##..] n2[....]\nb/r2: n3[##..] n4[....]\nb/r3: n5[##..] n6[##..]")
            .arrives(gang("a").near("rack").of(6, 2));
    assertThat(scene.racksOf("a")).containsExactly("r1", "r2");
  }

  @Test
  void fewer_nodes_are_better_if_they_leave_as_much_behind() {
    Scene scene =
        Scene.of("b/r1: n1[##..] n2[....] n3[....]").arrives(gang("a").near("rack").of(3, 2));
    assertThat(scene.nodesOf("a")).hasSize(3).containsAnyOf("n1");
    assertThat(scene.nodesOf("a").stream().distinct()).hasSize(2);
  }

  @Test
  void required_rack_holds_inside_a_preferred_block() {
    Scene scene =
        Scene.of("b/r1: n1[##..] n2[....]\nb/r2: n3[##..] n4[##..]")
            .arrives(gang("a").within("rack").near("block").of(2, 2));
    assertThat(scene.nodesOf("a")).containsExactly("n3", "n4");
  }

  @Test
  void new_member_stays_in_the_rack_of_its_gang() {
    Scene scene =
        Scene.of("b/r1: n1[....] n2[##..] n3[....]\nb/r2: n4[##..]")
            .arrives(gang("a").near("rack").minCount(1).of(1, 4));
    scene.arrives(gang("a").near("rack").minCount(1).of(1, 4).of(1, 2));
    assertThat(scene.racksOf("a")).containsExactly("r1");
  }
}
