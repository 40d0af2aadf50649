package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import org.junit.jupiter.api.Test;

/// The sentence of a refusal names the constraint that binds, with the numbers of the nodes,
/// domains and models to which the search was confined.
class RefusalTest {
  private static final String TWO_RACKS = "b/r1: n1[....] m1[####]\nb/r2: n2[....] m2[####]";

  private static String sentence(String drawing, GangDraft gang) {
    return Scene.of(drawing).arrives(gang).whyNot("a").map(ReasonText::sentence).orElse("none");
  }

  @Test
  void nodes_without_gpus_are_not_counted_for_workers() {
    Scene scene =
        Scene.of("b/r1: n1[####....] n2[....####]\nb/r2: c1[]")
            .arrives(gang("a").of(1, 0).of(2, 8));
    assertThat(scene.whyNot("a")).contains(new Veto.NotEnoughFree("nvidia.com/gpu", 16, 8));
  }

  @Test
  void slices_that_find_no_rack_are_named() {
    assertThat(sentence(TWO_RACKS, gang("a").of(2, 4).sliced(2, "rack")))
        .isEqualTo(
            "1 slice of up to 2 members with 4 GPUs each needs one rack per slice; the matching nodes have room for 0.");
  }

  @Test
  void places_are_counted_in_the_best_rack() {
    assertThat(
            sentence(
                "b/r1: n1[#...] n2[#...]\nb/r2: n3[##..] n4[##..] n5[####]",
                gang("a").of(3, 2).within("rack")))
        .isEqualTo(
            "3 members need 2 GPUs each in one rack; the best, b/r1, has 2 such places free.");
  }

  @Test
  void places_are_counted_on_the_best_model() {
    assertThat(
            sentence("b/r: n1[#...] n2[#...] n3[####] n4:P4[#...] n5:P4[####]", gang("a").of(3, 2)))
        .isEqualTo(
            "3 members need 2 GPUs each on one model; the best, H100, has 2 such places free.");
  }

  @Test
  void members_on_nodes_of_their_own_are_told_the_number_of_nodes() {
    assertThat(sentence("b/r: n1[....] n2[####] n3[....]", gang("a").onePerNode().of(3, 1)))
        .isEqualTo(
            "3 members need 1 GPU each, on nodes of their own; the matching nodes have 2 such places free.");
  }

  @Test
  void cores_are_named_where_they_are_short() {
    assertThat(sentence("b/r: n1[....] n2[....]", gang("a").cores(60).of(3, 1)))
        .isEqualTo(
            "There is no place even when all nodes are empty. 3 members need 60 cpu each; the matching nodes have 2 such places free.");
  }

  @Test
  void largest_remainder_is_named_where_no_node_has_a_place() {
    assertThat(sentence("b/r: n1[###.] n2[##..] n3[##..]", gang("a").of(1, 3)))
        .isEqualTo(
            "5 GPUs are free on 3 nodes, but at most 2 on one node; needs 3 GPUs on one node.");
  }

  @Test
  void domain_without_matching_nodes_has_no_negative_capacity() {
    assertThat(sentence("b/r1: n1[####]\nb/r2: n2[....]", gang("a").of(2, 4).within("rack")))
        .doesNotContain("-1");
  }

  @Test
  void unlike_members_that_fit_alone_are_told_so() {
    assertThat(sentence("b/r: n1[....] n2[....] n3[####]", gang("a").of(2, 3).of(1, 2)))
        .isEqualTo(
            "Places are free for each member alone, but there are none for all 3 unlike members together.");
  }

  @Test
  void tally_is_that_of_the_member_without_a_node() {
    assertThat(sentence("b/r: n1[....]", gang("a").of(1, 2).cores(200).of(1, 1)))
        .contains("One member needs 200 cpu");
  }

  @Test
  void known_level_is_not_called_unknown() {
    assertThat(sentence(TWO_RACKS, gang("a").of(2, 4).within("rack").sliced(2, "block")))
        .isEqualTo(
            "Slices inside one block cannot lie inside one rack together. Use rack or node for the slices.");
  }
}
