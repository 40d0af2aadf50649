package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Preferred node affinity and `PreferNoSchedule` decide after the domains and nodes spanned.
class NodePreferencesTest {
  private static final Toleration ANY_TAINT =
      new Toleration(Optional.empty(), Optional.empty(), Optional.empty());

  private static NodeSelection prefers(PreferredTerm... terms) {
    return new NodeSelection(List.of(), List.of(), List.of(), List.of(terms));
  }

  private static PreferredTerm disk(int weight, String kind) {
    return new PreferredTerm(weight, List.of(new Requirement("disk", Operator.IN, List.of(kind))));
  }

  private static PreferredTerm named(int weight, String node) {
    return new PreferredTerm(
        weight, List.of(new Requirement(Requirement.NODE_NAME, Operator.IN, List.of(node))));
  }

  /// The drawn nodes, of which each named one has this disk and these taints.
  private static Scene with(Scene scene, String name, String disk, Taint... taints) {
    Node drawn = scene.state(name).node();
    TreeMap<String, String> labels = new TreeMap<>(drawn.labels());
    labels.put("disk", disk);
    return scene.then(
        new Event.NodeSeen(
            scene.now(),
            new Node(
                drawn.id(),
                labels,
                drawn.allocatable(),
                drawn.gpus(),
                drawn.model(),
                List.of(taints),
                drawn.cordoned(),
                drawn.faults())));
  }

  private static Taint soft(String key) {
    return new Taint(key, "", Taint.Effect.PREFER_NO_SCHEDULE);
  }

  @Test
  void preferred_node_precedes_what_is_left_behind() {
    Scene scene = with(Scene.of("b/r: n1[####....] n2[........]"), "n2", "nvme");
    scene.arrives(gang("a").selecting(prefers(disk(1, "nvme"))).of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  @Test
  void weights_of_met_terms_add_up() {
    Scene scene = with(Scene.of("b/r: n1[....] n2[....] n3[....]"), "n2", "nvme");
    scene.arrives(
        gang("a").selecting(prefers(named(50, "n1"), disk(30, "nvme"), named(21, "n2"))).of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  @Test
  void preference_never_makes_a_gang_use_another_rack() {
    Scene scene =
        Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[###.]")
            .arrives(gang("a").selecting(prefers(named(100, "n3"))).of(2, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2");
  }

  @Test
  void preference_never_makes_a_gang_use_more_nodes() {
    Scene scene =
        Scene.of("b/r: n1[##..] n2[##..] n3[....]")
            .arrives(gang("a").selecting(prefers(named(100, "n1"), named(100, "n2"))).of(2, 2));
    assertThat(scene.nodesOf("a")).containsExactly("n3", "n3");
  }

  @Test
  void gang_of_several_nodes_takes_the_preferred_ones_of_a_rack() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]");
    with(scene, "n2", "nvme");
    with(scene, "n4", "nvme");
    scene.arrives(gang("a").selecting(prefers(disk(1, "nvme"))).of(2, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n2", "n4");
  }

  @Test
  void gang_of_several_nodes_takes_the_preferred_rack() {
    Scene scene = Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[....] n5[....]");
    with(scene, "n4", "nvme");
    scene.arrives(gang("a").selecting(prefers(disk(1, "nvme"))).of(2, 4));
    assertThat(scene.racksOf("a")).containsExactly("r2");
    assertThat(scene.nodesOf("a")).contains("n4");
  }

  @Test
  void only_members_with_a_preference_follow_it() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]")
            .arrives(gang("a").of(1, 3).selecting(prefers(named(1, "n1"))).of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n2", "n1");
  }

  @Test
  void full_preferred_node_does_not_keep_a_pod_waiting() {
    Scene scene =
        Scene.of("b/r: n1[####] n2[....]")
            .arrives(gang("a").selecting(prefers(named(100, "n1"))).of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  @Test
  void node_that_advises_against_pods_is_the_last_choice() {
    Scene scene = with(Scene.of("b/r: n1[####....] n2[........]"), "n1", "", soft("old"));
    scene.arrives(gang("a").of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
    assertThat(scene.arrives(gang("b").of(1, 4)).nodesOf("b")).containsExactly("n2");
    assertThat(scene.arrives(gang("c").of(1, 4)).nodesOf("c")).containsExactly("n1");
  }

  @Test
  void tolerated_advice_does_not_count() {
    Scene scene = with(Scene.of("b/r: n1[####....] n2[........]"), "n1", "", soft("old"));
    NodeSelection tolerant = new NodeSelection(List.of(), List.of(), List.of(ANY_TAINT));
    scene.arrives(gang("a").selecting(tolerant).of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n1");
  }

  @Test
  void fewer_taints_are_better_and_one_outweighs_any_single_preference() {
    Scene scene = Scene.of("b/r: n1[....] n2[....] n3[....]");
    with(scene, "n1", "", soft("old"), soft("slow"));
    with(scene, "n2", "nvme", soft("old"));
    scene.arrives(gang("a").selecting(prefers(disk(100, "nvme"))).of(1, 4));
    assertThat(scene.nodesOf("a")).containsExactly("n3");
    assertThat(scene.arrives(gang("b").of(1, 4)).nodesOf("b")).containsExactly("n2");
  }

  @Test
  void gang_that_is_packed_greedily_prefers_a_domain_too() {
    StringBuilder racks = new StringBuilder();
    for (String rack : List.of("r1", "r2")) {
      racks.append("b/%s: %s-a[########] %s-b[........]\n".formatted(rack, rack, rack));
    }
    Scene scene = Scene.of(racks + "b/r3: x[....]");
    var unlike = gang("a").selecting(prefers(named(1, "r2-b")));
    for (int member = 0; member < 10; member++) {
      unlike.ofParts(1, 101 + member);
    }
    assertThat(scene.arrives(unlike).nodesOf("a")).containsOnly("r2-b");
  }
}
