package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Promises follow a node that moves to another rack.
class RelabelledNodeTest extends ReservationScenes {
  private static final String TWO_RACKS = "b/r1: n1[....] n2[....] n3[....]\nb/r2: n4[....]";

  @Test
  void promise_on_a_node_moved_to_another_rack_is_replaced() {
    GangDraft gang = gang("a").of(2, 4).within("rack");
    Scene scene = Scene.of(TWO_RACKS).silent().arrives(gang);
    moves(scene, promise(scene, gang.member(1, "")).orElseThrow());
    assertThat(promise(scene, gang.member(0, ""))).contains("n1");
    assertThat(promise(scene, gang.member(1, ""))).contains("n3");
  }

  @Test
  void gang_continues_in_the_new_rack_of_its_bound_member() {
    GangDraft gang = gang("a").of(2, 4).within("rack");
    Scene scene = Scene.of(TWO_RACKS).silent().arrives(gang);
    scene.becomes(gang.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    moves(scene, "n1");
    assertThat(promise(scene, gang.member(1, ""))).contains("n4");
  }

  private static void moves(Scene scene, String node) {
    Map<String, String> labels = scene.state("n4").node().labels();
    scene.then(new Event.NodeSeen(scene.now(), Scene.node(node, labels, 4, "H100", false)));
  }
}
