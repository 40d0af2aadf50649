package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/// Victims among more gangs than are combined exhaustively.
class ManyVictimsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static Policies atMost(int victims, int gpus) {
    PreemptionLimits limits =
        new PreemptionLimits(victims, gpus, Integer.MAX_VALUE, Duration.ofMinutes(1));
    return Policies.DEFAULT.with(new SceneEvents(Duration.ZERO, limits));
  }

  private static Scene cluster(String drawing, Policies policies) {
    return Scene.of(drawing, policies);
  }

  /// The gang runs, with a member on each of the nodes.
  private static void runs(Scene scene, GangDraft gang, String... nodes) {
    scene.then(new Event.GangSeen(scene.now(), gang.spec()));
    for (Member member : gang.members()) {
      scene.becomes(
          member, new MemberState.Bound(new NodeId(nodes[(int) member.rank()]), scene.now()));
    }
  }

  /// Eight small gangs of priority 1 run on n1 and n2, and six whole nodes of priority 2 on others.
  private static Scene smallAndWhole(Policies policies) {
    Scene scene =
        cluster(
            "b/r: n1[....] n2[....] n3[....] n4[....] n5[....] n6[....] n7[....] n8[....]",
            policies);
    for (int i = 0; i < 8; i++) {
      runs(scene, gang("small-" + i).of(1, 1).priority(1), i < 4 ? "n1" : "n2");
    }
    for (int node = 3; node <= 8; node++) {
      runs(scene, gang("whole-" + node).of(1, 4).priority(2), "n" + node);
    }
    return scene.arrives(gang("big").of(2, 4).priority(10)).after(SECOND);
  }

  private static List<String> victims(Scene scene) {
    return scene.askedOf(Effect.Evict.class);
  }

  @Test
  void gang_on_two_nodes_leaves_rather_than_two_gangs() {
    StringBuilder drawing = new StringBuilder("b/r: m1[....] m2[....]");
    for (int node = 0; node < 12; node++) {
      drawing.append(" n").append(node).append("[....]");
    }
    Scene scene = cluster(drawing.toString(), atMost(99, 99));
    runs(scene, gang("wide").of(2, 4), "m1", "m2");
    for (int node = 0; node < 12; node++) {
      runs(scene, gang("single-" + node).of(1, 4), "n" + node);
    }
    scene.arrives(gang("big").of(2, 4).priority(10)).after(SECOND);
    assertThat(victims(scene)).containsExactly("wide");
  }

  @Test
  void lowest_priorities_leave_if_so_many_may() {
    assertThat(victims(smallAndWhole(atMost(8, 8))))
        .hasSize(8)
        .allMatch(v -> v.startsWith("small"));
  }

  @Test
  void fewer_gangs_leave_if_no_more_may() {
    assertThat(victims(smallAndWhole(atMost(7, 8))))
        .hasSize(2)
        .allMatch(v -> v.startsWith("whole"));
  }

  @Test
  void nobody_leaves_if_too_few_gpus_may() {
    assertThat(victims(smallAndWhole(atMost(8, 7)))).isEmpty();
  }

  @Property(tries = 60)
  void lowest_priorities_of_a_full_node_leave(@ForAll @LongRange(min = 0, max = 9999) long seed) {
    Random random = new Random(seed);
    Scene scene = cluster("b/r: n[................]", atMost(99, 99));
    int running = 13 + random.nextInt(4);
    List<Integer> priorities = new ArrayList<>();
    for (int i = 0; i < running; i++) {
      priorities.add(random.nextInt(6));
      runs(scene, gang("g" + i).of(1, 1).priority(priorities.getLast()), "n");
    }
    int asked = 4 + random.nextInt(8);
    scene.arrives(gang("big").of(1, asked).priority(10)).after(SECOND);
    int leaving = Math.max(0, asked - (16 - running));
    assertThat(victims(scene).stream().map(name -> scene.gang(name).id().name()))
        .as("priorities %s, %d asked", priorities, asked)
        .hasSize(leaving);
    assertThat(priorities(victims(scene), priorities))
        .isEqualTo(priorities.stream().sorted().limit(leaving).toList());
  }

  private static List<Integer> priorities(List<String> gangs, List<Integer> of) {
    return gangs.stream()
        .map(name -> of.get(Integer.parseInt(name.substring(1))))
        .sorted()
        .toList();
  }

  @Property(tries = 40)
  void nodes_with_the_lowest_priorities_are_vacated(
      @ForAll @LongRange(min = 0, max = 9999) long seed) {
    Random random = new Random(seed);
    Scene scene = cluster("b/r: n0[........] n1[........] n2[........]", atMost(99, 99));
    List<Integer> priorities = new ArrayList<>();
    List<Integer> highest = new ArrayList<>(List.of(0, 0, 0));
    for (int i = 0; i < 24; i++) {
      int node = i / 8;
      priorities.add(random.nextInt(3 + 2 * node));
      highest.set(node, Math.max(highest.get(node), priorities.getLast()));
      runs(scene, gang("g" + i).of(1, 1).priority(priorities.getLast()), "n" + node);
    }
    scene.arrives(gang("big").of(2, 8).priority(10)).after(SECOND);
    assertThat(victims(scene)).hasSize(16);
    assertThat(priorities(victims(scene), priorities).getLast())
        .as("highest priorities of the nodes: %s", highest)
        .isEqualTo(highest.stream().sorted().toList().get(1));
  }
}
