package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// Nodes without any GPU in use stay so for gangs that need whole nodes, seen or not.
class WholeNodesTest {
  private static final String THREE = "b/r: n1[........] n2[........] n3[........]";

  @Test
  void gang_of_whole_nodes_starts_although_none_was_expected() {
    Scene scene =
        Scene.of(THREE)
            .arrives(gang("a").of(1, 4))
            .arrives(gang("b").of(1, 1))
            .arrives(gang("c").of(2, 8));
    assertThat(scene.nodesOf("c")).containsExactly("n2", "n3");
  }

  @Test
  void many_requests_for_half_a_node_do_not_make_a_small_pod_break_a_whole_one() {
    Scene scene =
        Scene.of(THREE)
            .arrives(gang("a").of(1, 4))
            .arrives(gang("waiting").minCount(91).of(90, 4))
            .arrives(gang("b").of(1, 1));
    assertThat(scene.nodesOf("b")).isEqualTo(scene.nodesOf("a"));
  }

  @Test
  void share_of_a_gpu_breaks_no_whole_node() {
    Scene scene =
        Scene.of(THREE)
            .arrives(gang("a").of(1, 7))
            .arrives(gang("waiting").minCount(91).of(90, 1))
            .arrives(gang("b").ofParts(1, 300));
    assertThat(scene.nodesOf("b")).isEqualTo(scene.nodesOf("a"));
  }

  @Test
  void node_of_a_model_that_nobody_else_accepts_is_not_kept_whole() {
    // the pair on n1 is of use to those who wait; nobody asks for T4 nodes, whole or not
    Scene scene =
        Scene.of("b/r: n1:P4[##..] n2:T4[....]")
            .arrives(
                gang("waiting")
                    .minCount(10)
                    .on(new GpuModelPreference(List.of("P4"), false))
                    .of(9, 2))
            .arrives(gang("a").of(1, 1));
    assertThat(scene.nodesOf("a")).containsExactly("n2");
  }

  /// The statement needs nodes of one size. With several sizes a small whole node may be a better
  /// choice than a large used one.
  @Property(tries = 300)
  void lone_pod_breaks_no_whole_node_while_a_used_one_has_room(
      @ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    int size = List.of(2, 4, 8).get(random.nextInt(3));
    Scene scene = Scene.of(drawing(random, size));
    for (int i = random.nextInt(4); i > 0; i--) {
      int members = 1 + random.nextInt(30);
      scene.arrives(gang("w" + i).minCount(members + 1).of(members, 1 + random.nextInt(size)));
    }
    int gpus = 1 + random.nextInt(size);
    boolean hasRoom = false;
    for (NodeState node : scene.cluster().nodes()) {
      hasRoom |= node.freeGpus() >= gpus && node.freeGpus() < size;
    }
    scene.arrives(gang("pod").of(1, gpus));
    for (String node : scene.nodesOf("pod")) {
      boolean broken = scene.state(node).freeGpus() + gpus == size;
      assertThat(broken && hasRoom).as("pod of %d on %s", gpus, node).isFalse();
    }
  }

  private static String drawing(Random random, int size) {
    StringBuilder drawing = new StringBuilder("b/r:");
    for (int node = 1 + random.nextInt(8); node > 0; node--) {
      int used = random.nextBoolean() ? 0 : random.nextInt(size + 1);
      drawing.append(" n%d[%s%s]".formatted(node, "#".repeat(used), ".".repeat(size - used)));
    }
    return drawing.toString();
  }

  /// Twenty lone pods of 1, 2 and 4 GPUs on ten empty nodes of 8, a hundred times.
  @Test
  void small_pods_touch_hardly_more_nodes_than_they_need() {
    long touched = 0;
    long needed = 0;
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      StringBuilder nodes = new StringBuilder("b/r:");
      for (int node = 0; node < 10; node++) {
        nodes.append(" n%d[........]".formatted(node));
      }
      Scene scene = Scene.of(nodes.toString());
      List<Integer> sizes = new ArrayList<>();
      for (int pod = 0; pod < 20; pod++) {
        sizes.add(List.of(1, 2, 4).get(random.nextInt(3)));
        scene.arrives(gang("pod" + pod).of(1, sizes.getLast()));
      }
      int gpus = sizes.stream().mapToInt(Integer::intValue).sum();
      needed += (gpus + 7) / 8;
      for (NodeState node : scene.cluster().nodes()) {
        touched += node.freeGpus() < 8 ? 1 : 0;
      }
    }
    assertThat(touched).isLessThanOrEqualTo(needed * 102 / 100);
  }
}
