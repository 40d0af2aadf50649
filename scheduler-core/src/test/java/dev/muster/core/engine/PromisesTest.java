package dev.muster.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Invariants;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// The promises of the design, over random lives of a small cluster. Each case is a seed; jqwik
/// prints it.
class PromisesTest {
  private static final String CLUSTER =
      """
      b1/r1: n1[....] n2[....]
      b1/r2: n3[........] n4[....]
      b2/r3: n5:P4[....] n6[....]
      """;

  @Property(tries = 150)
  void whatever_happens_the_books_balance_and_gangs_end_whole_or_released(
      @ForAll @IntRange(min = 0) int seed) {
    Life life = new Life(seed);
    for (int turn = 0; turn < 60; turn++) {
      life.turn(); // every event checks the image against a recomputation from scratch
    }
    life.scene.after(Duration.ofMinutes(3));
    for (Gang gang : life.scene.cluster().gangs()) {
      assertThat(life.scene.cluster().reservations().contains(gang.id()))
          .as(gang.id() + " holds on")
          .isFalse();
    }
  }

  @Property(tries = 100)
  void no_gang_waits_that_would_fit(@ForAll @IntRange(min = 0) int seed) {
    Life life = new Life(seed);
    for (int turn = 0; turn < 60; turn++) {
      life.turn();
    }
    life.scene.after(Duration.ofSeconds(30)); // gangs that were released have rested
    State settled = life.scene.state();
    for (Gang gang : settled.cluster().gangs()) {
      Attempt again = Attempt.of(gang.id(), settled, Policies.DEFAULT);
      assertThat(again.after().cluster().reservations().contains(gang.id()))
          .as("%s would fit now but waits: %s", gang.id(), settled.standing().get(gang.id()))
          .isFalse();
    }
  }

  @Property(tries = 50)
  void equal_facts_in_another_order_give_the_same_placements(@ForAll @IntRange(min = 0) int seed) {
    List<GangDraft> gangs = new ArrayList<>();
    Random random = new Random(seed);
    for (int i = 0; i < 6; i++) {
      gangs.add(
          GangDraft.gang("g" + i)
              .of(1 + random.nextInt(3), 1 + random.nextInt(4))
              .priority(random.nextInt(3)));
    }
    assertThat(placements(gangs, new Random(seed + 1L)))
        .isEqualTo(placements(gangs, new Random(seed + 2L)));
  }

  private static SortedMap<GangId, List<String>> placements(List<GangDraft> gangs, Random order) {
    List<Event> events = new ArrayList<>();
    Scene scene = Scene.unsynced(CLUSTER, Policies.DEFAULT);
    for (GangDraft gang : gangs) {
      events.add(new Event.GangSeen(scene.now(), gang.spec()));
      gang.members().forEach(member -> events.add(new Event.MemberSeen(scene.now(), member)));
    }
    Collections.shuffle(events, order);
    events.forEach(scene::then);
    scene.then(new Event.Synced(scene.now()));
    SortedMap<GangId, List<String>> placed = new TreeMap<>();
    gangs.forEach(gang -> placed.put(gang.id(), scene.nodesOf(gang.id().name())));
    return placed;
  }

  /// A random life: gangs come and end, pods die, nodes vanish and return, strangers barge in.
  private static final class Life {
    final Scene scene = Scene.of(CLUSTER);
    private final Random random;
    private final List<GangDraft> gangs = new ArrayList<>();
    private final List<NodeState> lost = new ArrayList<>();

    Life(int seed) {
      this.random = new Random(seed);
    }

    void turn() {
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> arrive();
        case 3 -> end();
        case 4 -> die();
        case 5 -> loseNode();
        case 6 -> returnNode();
        case 7 -> stranger();
        default -> scene.after(Duration.ofSeconds(1 + random.nextInt(20)));
      }
      Invariants.checkNothingOversold(scene.cluster());
    }

    private void arrive() {
      GangDraft gang =
          GangDraft.gang("g" + gangs.size())
              .of(1 + random.nextInt(4), 1 + random.nextInt(5))
              .priority(random.nextInt(3));
      gang = random.nextInt(4) == 0 ? gang.within("rack") : gang;
      gangs.add(random.nextInt(4) == 0 ? gang.minCount(1) : gang);
      scene.arrives(gangs.getLast());
    }

    private void end() {
      any().ifPresent(gang -> scene.ends(gang.id().name()));
    }

    private void die() {
      any()
          .map(gang -> scene.gang(gang.id().name()))
          .filter(gang -> !gang.members().isEmpty())
          .ifPresent(gang -> {
            Member dead = gang.members().values().getFirst();
            scene.becomes(dead, new MemberState.Ended(false));
            scene.then(new Event.MemberGone(scene.now(), gang.id(), dead.id()));
          });
    }

    private Optional<GangDraft> any() {
      return gangs.isEmpty()
          ? Optional.empty()
          : Optional.of(gangs.get(random.nextInt(gangs.size())));
    }

    private void loseNode() {
      NodeState node =
          scene.cluster().nodes().values().get(random.nextInt(scene.cluster().nodes().size()));
      if (scene.cluster().nodes().size() > 3) {
        lost.add(node);
        scene.then(new Event.NodeGone(scene.now(), node.id()));
        for (var pod : node.occupants().keys()) { // the node's pods are deleted with it
          for (Gang gang : scene.cluster().gangs().values()) {
            if (gang.members().contains(pod)) {
              scene.then(new Event.MemberGone(scene.now(), gang.id(), pod));
            }
          }
          scene.then(new Event.StrangerGone(scene.now(), pod));
        }
      }
    }

    private void returnNode() {
      if (!lost.isEmpty()) {
        scene.then(new Event.NodeSeen(scene.now(), lost.removeLast().node()));
      }
    }

    private void stranger() {
      NodeState node =
          scene.cluster().nodes().values().get(random.nextInt(scene.cluster().nodes().size()));
      if (node.free().covers(Resources.of(Map.of("cpu", 1000L, "nvidia.com/gpu", 1L)))) {
        NodeId id = node.id();
        scene.then(
            new Event.StrangerSeen(
                scene.now(), Scene.stranger(id.name()), id, Resources.of("nvidia.com/gpu", 1), 1));
      } else {
        scene.then(new Event.StrangerGone(scene.now(), Scene.stranger(node.id().name())));
      }
    }
  }
}
