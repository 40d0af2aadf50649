package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.kit.Scene;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Each term of the [Score] decides as its picture shows. Some terms avoid known problems of other
/// schedulers.
class LeastScoreTest {
  @Test
  void preferred_model_precedes_nearness() {
    Scene scene =
        Scene.of("b1/r1: a1:A100[........]\nb1/r2: h1:H100[....]\nb2/r3: h2:H100[....]")
            .arrives(gang("a").on(new GpuModelPreference(List.of("H100", "A100"), false)).of(2, 4));
    assertThat(scene.nodesOf("a")).containsExactly("h1", "h2");
  }

  @Test
  void two_nodes_of_one_rack_precede_the_first_two_that_fit() {
    Scene scene =
        Scene.of("b1/r1: a1[####] a2[....]\nb1/r2: c1[....] c2[....]").arrives(gang("a").of(2, 4));
    assertThat(scene.nodesOf("a")).containsExactly("c1", "c2");
  }

  @Test
  void one_more_block_is_worse_than_many_more_racks() {
    Scene scene =
        Scene.of(
                """
                b1/r1: a1[....] a2[....] a3[....]
                b2/r2: c1[....] c2[####]
                b2/r3: d1[....] d2[####]
                b2/r4: e1[....] e2[....]
                """)
            .arrives(gang("a").of(4, 4));
    assertThat(scene.nodesOf("a")).containsExactly("c1", "d1", "e1", "e2");
  }

  @Test
  void gang_uses_the_fewest_racks_where_largest_first_would_spread() {
    // largest first takes r1 with room for three of the one sort and is left with three racks
    Scene scene =
        Scene.of(
                """
                b/r1: a1[........] a2[....]
                b/r2: c1[........] c2[####]
                b/r3: d1[####....] d2[####....]
                """)
            .arrives(gang("a").of(2, 8).of(1, 4));
    assertThat(scene.racksOf("a")).containsExactly("r1", "r2");
  }

  /// The worked example of docs/placement.md. The other four members lack a fifth, so they wait.
  private static Scene example(String c1) {
    return Scene.of(
            """
            b1/r1: a1[####....] a2[#####...]
            b1/r2: c1[%s] c2[########]
            b1/r3: d1[####....] d2[####....]
            """
                .formatted(c1))
        .arrives(gang("others").minCount(5).of(4, 4));
  }

  @Test
  void one_node_beats_two_and_one_rack_beats_two() {
    assertThat(example("........").arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("c1", "c1");
    assertThat(example("########").arrives(gang("a").of(2, 4)).nodesOf("a"))
        .containsExactly("d1", "d2");
  }

  @Test
  void member_of_three_takes_capacity_useless_for_members_of_four() {
    Scene scene = example("........").arrives(gang("a").minCount(3).of(2, 4));
    assertThat(scene.arrives(gang("b").of(1, 3)).nodesOf("b")).containsExactly("a2");
  }

  @Test
  void rack_1_is_not_rack_10() {
    Scene scene =
        Scene.of("b/rack-1: a1[....]\nb/rack-10: c1[....] c2[....]\nb/rack-11: d1[....]")
            .arrives(gang("a").of(2, 4).within("rack"));
    assertThat(scene.nodesOf("a")).containsExactly("c1", "c2");
    assertThat(scene.arrives(gang("b").of(2, 4).within("rack")).whyNot("b"))
        .contains(new Veto.NoDomainHolds("rack", "b/rack-1", 8, 4));
  }

  @Test
  void required_and_preferred_may_be_the_same_level() {
    Scene scene =
        Scene.of("b/r1: a1[....] a2[####]\nb/r2: c1[....] c2[....]")
            .arrives(gang("a").of(2, 4).within("rack").near("rack"));
    assertThat(scene.racksOf("a")).containsExactly("r2");
  }

  @Test
  void small_pods_do_not_take_the_last_whole_node() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]")
            .arrives(gang("big").minCount(2).of(1, 4));
    for (int i = 0; i < 8; i++) {
      scene.arrives(gang("small" + i).of(1, 1));
    }
    assertThat(scene.arrives(gang("big2").of(1, 4)).nodesOf("big2")).hasSize(1);
  }

  @Test
  void remaining_capacity_is_useful_for_expected_demand() {
    // everybody asks for 2: a piece of 1 must not break up a pair, though its rest would be smaller
    Scene scene =
        Scene.of("b/r: n1[######..] n2[#####...] n3[########]")
            .arrives(gang("waiting").of(9, 2))
            .arrives(gang("a").of(1, 1));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  @Test
  void remaining_capacity_counts_cores_and_models_too() {
    // n1 is left with GPUs that nobody can use: those who come want a P4
    Scene scene =
        Scene.of("b/r1: n1:P4[....]\nb/r1: n2:T4[....]")
            .arrives(gang("waiting").on(new GpuModelPreference(List.of("P4"), false)).of(9, 4))
            .arrives(gang("a").of(1, 1));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  @Test
  void full_racks_stay_whole_for_others() {
    Scene scene =
        Scene.of("b/r1: a1[........] a2[........]\nb/r2: c1[........] c2[#######.]")
            .arrives(gang("a").of(1, 8));
    assertThat(scene.nodesOf("a")).containsExactly("c1");
  }

  @Test
  void balanced_gang_is_even_without_additional_nodes() {
    String three = "b/r: n1[........] n2[........] n3[........]";
    Scene scene = Scene.of(three).arrives(gang("a").balanced().of(10, 1));
    assertThat(scene.nodesOf("a"))
        .containsExactly("n1", "n1", "n1", "n1", "n1", "n2", "n2", "n2", "n2", "n2");
  }

  @Test
  void balanced_gang_that_fits_on_one_node_uses_one() {
    Scene scene = Scene.of("b/r: n1[..] n2[..]").arrives(gang("a").balanced().of(2, 1));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n1");
  }

  @Test
  void first_of_equal_racks_is_taken() {
    Scene scene =
        Scene.of("b/r1: a1[....] a2[....]\nb/r2: c1[....] c2[....]").arrives(gang("a").of(2, 4));
    assertThat(scene.racksOf("a")).containsExactly("r1");
  }

  @Test
  void first_of_equal_racks_is_taken_though_another_promised_fewer_nodes() {
    // 8 GPUs are free on one node of r2, so it is examined first; but that node is cordoned
    Scene scene =
        Scene.of(
                """
                b/r1: a1[....] a2[....] a3[....]! a4[....]!
                b/r2: c1[....] c2[....] c3[........]!
                """)
            .arrives(gang("a").of(2, 4));
    assertThat(scene.racksOf("a")).containsExactly("r1");
  }

  @Test
  void worse_rack_is_not_taken_because_it_comes_first() {
    // r1 is examined last, too, but has one more free GPU
    Scene scene =
        Scene.of(
                """
                b/r1: a1[....] a2[....] a3[....]! a4[....]! a5[###.]
                b/r2: c1[....] c2[....] c3[........]!
                """)
            .arrives(gang("a").of(2, 4));
    assertThat(scene.racksOf("a")).containsExactly("r2");
  }

  @Test
  void first_model_is_taken_before_the_first_of_equal_racks() {
    Scene scene =
        Scene.of("b/r1: p1:P100[....] p2:P100[....]\nb/r2: h1:H100[....] h2:H100[....]")
            .arrives(gang("a").of(2, 4));
    assertThat(scene.racksOf("a")).containsExactly("r2");
  }

  @Test
  void new_member_goes_near_its_gang() {
    Scene scene =
        Scene.of("b/r1: a1[.]\nb/r2: c1[...] c2[...]").arrives(gang("a").minCount(1).of(1, 2));
    scene.arrives(gang("a").minCount(1).of(1, 2).of(1, 1));
    assertThat(scene.nodesOf("a")).containsExactly("c1", "c1");
  }
}
