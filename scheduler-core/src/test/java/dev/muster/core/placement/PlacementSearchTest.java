package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlacementSearchTest {
  private static final String THREE_RACKS =
      """
      b1/r1: a1[########] a2[........] a3[........] a4[........]
      b1/r2: c1[........] c2[........] c3[........] c4[........]
      b2/r3: d1[........] d2[........] d3[########] d4[########]
      """;

  @Test
  void four_by_eight_lands_in_the_only_rack_that_fits() {
    Scene scene = Scene.of(THREE_RACKS).arrives(gang("a").of(4, 8));
    assertThat(scene.nodesOf("a")).containsExactly("c1", "c2", "c3", "c4");
  }

  @Test
  void preferred_spans_as_few_racks_as_possible_inside_one_block() {
    Scene scene = Scene.of(THREE_RACKS).arrives(gang("hog").of(1, 8));
    scene.arrives(gang("first").of(4, 8));
    scene.arrives(gang("a").of(4, 8).near("rack"));
    assertThat(scene.racksOf("first")).containsExactly("r2");
    assertThat(scene.racksOf("a")).hasSize(2);
  }

  @Test
  void required_level_waits_until_it_fits_and_names_the_nearest_domain() {
    Scene scene = Scene.of(THREE_RACKS).arrives(gang("first").of(4, 8));
    scene.arrives(gang("a").of(4, 8).within("rack"));
    assertThat(scene.whyNot("a")).contains(new Veto.NoDomainHolds("rack", "b1/r1", 32, 24));
  }

  @Test
  void rack_too_small_for_the_gang_is_reported() {
    Scene scene = Scene.of(THREE_RACKS).arrives(gang("a").of(5, 8).within("rack"));
    assertThat(scene.whyNot("a")).contains(new Veto.TooBig("rack", 40, 32));
  }

  @Test
  void largest_matching_node_is_named_when_all_are_too_small() {
    Scene scene =
        Scene.of("b/r: n1:H100[..] n2:P4[....]")
            .arrives(gang("a").of(1, 8).on(new GpuModelPreference(List.of("H100"), false)));
    assertThat(scene.whyNot("a")).contains(new Veto.TooBig("node", 8, 2));
  }

  private static final String TWO_MODELS =
      "b1/r1: h1:H100[........] h2:H100[........]\nb1/r2: a1:A100[........]\nb2/r3: h3:H100[........]";

  @Test
  void gang_of_one_model_larger_than_its_supply_is_refused() {
    Scene scene = Scene.of(TWO_MODELS).arrives(gang("a").of(4, 8));
    assertThat(scene.whyNot("a")).contains(new Veto.TooBigForModels("cluster", "H100", 32, 24));
    GpuModelPreference any = new GpuModelPreference(List.of(), true);
    assertThat(Scene.of(TWO_MODELS).arrives(gang("b").of(4, 8).on(any)).nodesOf("b")).hasSize(4);
  }

  @Test
  void block_with_enough_gpus_but_too_few_of_any_model_is_too_small() {
    Scene scene = Scene.of(TWO_MODELS).arrives(gang("a").of(3, 8).within("block"));
    assertThat(scene.whyNot("a")).contains(new Veto.TooBigForModels("block", "H100", 24, 16));
  }

  @Test
  void gang_of_one_model_waits_for_gpus_in_use() {
    GpuModelPreference h100 = new GpuModelPreference(List.of("H100"), false);
    Scene scene = Scene.of(TWO_MODELS).arrives(gang("first").of(1, 8).on(h100));
    scene.arrives(gang("a").of(3, 8));
    assertThat(scene.whyNot("a").orElseThrow().remedy()).isNotEqualTo(Remedy.NEVER);
  }

  @Test
  void constraints_of_the_pods_count_where_the_group_states_none() {
    GangConstraints rack =
        GangConstraints.of(
            TopologyConstraint.of(Optional.of("rack"), Optional.empty()), GpuModelPreference.ANY);
    Scene scene = Scene.of(THREE_RACKS).arrives(gang("a").podsWish(rack).of(5, 8));
    assertThat(scene.whyNot("a")).contains(new Veto.TooBig("rack", 40, 32));
    assertThat(
            Scene.of(THREE_RACKS)
                .arrives(gang("b").podsWish(rack).within("block").of(5, 8))
                .nodesOf("b"))
        .hasSize(5);
  }

  @Test
  void equal_label_values_in_two_blocks_are_two_racks() {
    Scene scene =
        Scene.of("b1/r: x1[....]\nb2/r: x2[....]").arrives(gang("a").of(2, 4).within("rack"));
    assertThat(scene.whyNot("a")).contains(new Veto.TooBig("rack", 8, 4));
  }

  @Test
  void tightest_node_is_used_and_large_capacities_stay_whole() {
    Scene scene =
        Scene.of("b/r: n1[........] n2[#####...] n3[####....]").arrives(gang("a").of(1, 3));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  @Test
  void neighbours_in_rank_are_neighbours_in_the_topology() {
    Scene scene = Scene.of("b/r1: n1[..] n3[..]\nb/r2: n2[..] n4[..]").arrives(gang("a").of(8, 1));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n1", "n3", "n3", "n2", "n2", "n4", "n4");
  }

  @Test
  void launcher_without_gpus_is_placed_near_its_workers() {
    Scene scene =
        Scene.of("b/r1: n1[####]\nb/r2: n2[....] n3[....]").arrives(gang("a").of(1, 0).of(2, 4));
    assertThat(scene.racksOf("a")).containsExactly("r2");
  }

  @Test
  void unknown_level_is_named_with_the_known_ones() {
    Scene scene = Scene.of(THREE_RACKS).arrives(gang("a").of(1, 1).within("rak"));
    assertThat(scene.whyNot("a"))
        .contains(new Veto.UnknownLevel("rak", List.of("block", "rack", "node")));
  }

  @Test
  void nodes_without_the_required_label_are_counted_but_not_used() {
    Scene scene = Scene.of("b1: n1[....]").arrives(gang("a").of(1, 4).within("rack"));
    assertThat(scene.whyNot("a")).get().isInstanceOf(Veto.NoMatchingNodes.class);
    assertThat(scene.whyNot("a").toString()).contains("Unlabelled[label=rack]");
  }

  @Test
  void gang_without_required_level_may_use_unlabelled_nodes() {
    assertThat(Scene.of("-: n1[....]").arrives(gang("a").of(1, 4)).nodesOf("a"))
        .containsExactly("n1");
  }

  @Test
  void members_that_need_their_own_node_get_one_each() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang("a").onePerNode().of(2, 1));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void node_is_not_free_for_a_replacement_while_the_old_member_terminates() {
    GangDraft gang = gang("a").onePerNode().of(2, 1);
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang);
    scene.becomes(gang.member(0, ""), new MemberState.Leaving(Optional.of(new NodeId("n1"))));
    scene.then(new Event.MemberSeen(scene.now(), gang.member(0, "-again")));
    assertThat(scene.nodesOf("a")).containsExactly("n2");

    scene.then(new Event.MemberGone(scene.now(), gang.id(), gang.member(0, "").id()));
    assertThat(scene.nodesOf("a")).containsExactlyInAnyOrder("n1", "n2");
  }

  @Test
  void node_affinity_is_honoured() {
    NodeSelection notN1 =
        new NodeSelection(
            List.of(),
            List.of(
                List.of(
                    new Requirement(
                        Requirement.NODE_NAME, Requirement.Operator.NOT_IN, List.of("n1")))),
            List.of());
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(gang("a").selecting(notN1).of(1, 1));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  @Test
  void cordoned_node_gets_no_pods() {
    Scene scene = Scene.of("b/r: n1[....]! n2[####]").arrives(gang("a").of(1, 4));
    assertThat(scene.whyNot("a")).contains(new Veto.NotEnoughFree("nvidia.com/gpu", 4, 0));
  }

  @Test
  void cordoned_node_gets_pods_that_tolerate_it() {
    Toleration cordon =
        new Toleration(
            Optional.of("node.kubernetes.io/unschedulable"), Optional.empty(), Optional.empty());
    NodeSelection daemon = new NodeSelection(List.of(), List.of(), List.of(cordon));
    Scene scene = Scene.of("b/r: n1[....]! n2[####]").arrives(gang("a").selecting(daemon).of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
  }

  @Test
  void members_on_nodes_now_in_two_racks_leave_no_place_for_the_rest() {
    GangDraft gang = gang("a").of(3, 4).within("rack");
    Scene scene = Scene.of("b/r1: n1[....] n2[....] n3[....]\nb/r2: n4[....]").silent();
    scene.arrives(gang);
    for (int member = 0; member < 2; member++) {
      NodeId node = new NodeId("n" + (member + 1));
      scene.becomes(gang.member(member, ""), new MemberState.Bound(node, scene.now()));
    }
    var labels = scene.state("n4").node().labels();
    scene.then(new Event.NodeSeen(scene.now(), Scene.node("n2", labels, 4, "H100", false)));
    assertThat(scene.whyNot("a")).contains(new Veto.MatesApart("rack"));
  }
}
