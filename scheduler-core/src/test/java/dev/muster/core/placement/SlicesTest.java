package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Consecutive members in rank order form slices, each in one domain.
class SlicesTest {
  @Test
  void each_slice_lies_in_one_rack_and_all_in_one_block() {
    Scene scene =
        Scene.of(
                """
                b1/r1: a1[....] a2[....] a3[....]
                b1/r2: c1[....] c2[....] c3[....]
                """)
            .arrives(gang("a").of(4, 4).sliced(2, "rack").within("block"));
    assertThat(scene.nodesOf("a")).containsExactly("a1", "a2", "c1", "c2");
  }

  @Test
  void rack_that_fits_half_a_slice_gets_none() {
    Scene scene =
        Scene.of("b1/r1: a1[....]\nb1/r2: c1[....]").arrives(gang("a").of(2, 4).sliced(2, "rack"));
    assertThat(scene.nodesOf("a")).isEmpty();
    assertThat(scene.whyNot("a")).isPresent();
  }

  @Test
  void slices_may_lie_on_one_node_each() {
    Scene scene =
        Scene.of("b1/r1: a1[...] a2[....] a3[....]").arrives(gang("a").of(4, 2).sliced(2, "node"));
    assertThat(scene.nodesOf("a")).containsExactly("a2", "a2", "a3", "a3");
  }

  @Test
  void last_slice_has_the_remainder() {
    Scene scene =
        Scene.of("b1/r1: a1[....] a2[....]\nb1/r2: c1[....]")
            .arrives(gang("a").of(3, 4).sliced(2, "rack"));
    assertThat(scene.nodesOf("a")).containsExactly("a1", "a2", "c1");
  }

  @Test
  void launcher_is_placed_with_the_workers_of_its_slice() {
    Scene scene =
        Scene.of("b1/r1: a1[....] a2[....]\nb1/r2: c1[....] c2[....]")
            .arrives(gang("a").of(1, 0).of(3, 4).sliced(2, "rack"));
    List<String> nodes = scene.nodesOf("a");
    assertThat(nodes.get(0).charAt(0)).isEqualTo(nodes.get(1).charAt(0));
    assertThat(nodes.get(2).charAt(0)).isEqualTo(nodes.get(3).charAt(0));
  }

  @Test
  void replacement_returns_to_the_rack_of_its_slice() {
    GangDraft gang = gang("a").of(4, 4).sliced(2, "rack");
    Scene scene =
        Scene.of(
                """
                b1/r1: a1[....] a2[....] a3[....]
                b1/r2: c1[....] c2[....] c3[....]
                """)
            .arrives(gang);
    Member dead = gang.members().get(3);
    scene.becomes(dead, new MemberState.Ended(false));
    scene.then(new Event.MemberGone(scene.now(), dead.gang(), dead.id()));
    scene.then(new Event.MemberSeen(scene.now(), gang.member(3, "-again")));
    assertThat(scene.nodesOf("a")).hasSize(4).last().asString().startsWith("c");
  }

  @Test
  void replacement_returns_to_its_rack_although_another_slice_is_done() {
    assertReplacedInItsRack(gang("a").of(4, 4), new MemberState.Ended(true));
  }

  @Test
  void slices_do_not_move_up_while_a_failed_member_is_replaced() {
    assertReplacedInItsRack(gang("a").of(4, 4).minCount(2), new MemberState.Ended(false));
  }

  /// The first of four is done. The third, the first of the second slice, is recreated.
  private static void assertReplacedInItsRack(GangDraft gang, MemberState first) {
    Scene scene =
        Scene.of(
                """
                b1/r1: a1[....] a2[....]
                b1/r2: c1[....] c2[....] c3[....]
                """)
            .arrives(gang.sliced(2, "rack"));
    scene.becomes(gang.members().getFirst(), first);
    Member dead = gang.members().get(2);
    scene.becomes(dead, new MemberState.Ended(false));
    scene.then(new Event.MemberGone(scene.now(), dead.gang(), dead.id()));
    scene.then(new Event.MemberSeen(scene.now(), gang.member(2, "-again")));

    assertThat(scene.after(Duration.ofSeconds(30)).nodesOf("a"))
        .filteredOn(node -> node.startsWith("c"))
        .hasSize(2);
  }

  @Test
  void label_without_a_value_is_no_domain() {
    Scene scene = Scene.unsynced("b1/r1: a1[.]", Policies.DEFAULT);
    for (String name : List.of("e1", "e2")) {
      var labels = Map.of("block", "b1", "rack", "");
      scene.then(new Event.NodeSeen(scene.now(), Scene.node(name, labels, 8, "H100", false)));
    }
    scene.then(new Event.Synced(scene.now())).arrives(gang("a").of(2, 8).within("rack"));

    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.NEVER);
  }

  @Test
  void slices_of_many_kinds_are_kept_together() {
    GangDraft gang = gang("a").sliced(2, "rack");
    for (int gpus = 1; gpus <= 10; gpus++) {
      gang.of(1, gpus);
    }
    String racks =
        """
        b1/r1: a1[............] a2[............]
        b1/r2: c1[............] c2[............]
        b1/r3: d1[............] d2[............]
        """;
    List<String> nodes = Scene.of(racks).arrives(gang).nodesOf("a");
    assertThat(nodes).hasSize(10);
    for (int slice = 0; slice < 10; slice += 2) {
      assertThat(nodes.get(slice).charAt(0)).isEqualTo(nodes.get(slice + 1).charAt(0));
    }
  }

  @Test
  void slices_of_many_kinds_leave_capacity_for_the_last_one() {
    GangDraft gang = gang("a").sliced(1, "rack");
    for (int gpus : List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 11)) {
      gang.of(1, gpus);
    }
    String racks = "b1/r1: a1[%s]\nb1/r2: c1[%s]".formatted(".".repeat(40), ".".repeat(16));
    assertThat(Scene.of(racks).arrives(gang).nodesOf("a")).hasSize(10); // but for 7 and 9 on a1
  }

  @Test
  void unknown_level_is_refused() {
    Scene scene = Scene.of("b1/r1: a1[....]").arrives(gang("a").of(2, 1).sliced(2, "rak"));
    assertThat(scene.whyNot("a"))
        .contains(new Veto.UnknownLevel("rak", List.of("block", "rack", "node")));
  }

  @Test
  void slices_wider_than_the_gang_level_are_refused() {
    Scene scene =
        Scene.of("b1/r1: a1[....]").arrives(gang("a").of(2, 1).within("rack").sliced(2, "block"));
    assertThat(scene.whyNot("a"))
        .contains(new Veto.SlicesTooWide("block", "rack", List.of("rack", "node")));
  }
}
