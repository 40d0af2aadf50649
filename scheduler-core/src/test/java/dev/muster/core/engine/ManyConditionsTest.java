package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.WaitClass;
import dev.muster.core.state.WaitingGangs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Pods that select nodes by many conditions cost their namespace searches, and others no time.
class ManyConditionsTest {
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int CONDITIONS = 200;

  /// The pods of a namespace that are searched each second: on 1,000 nodes each counts 61 of 1,024.
  private static final int SEARCHED = 17;

  private static String drawing(int nodes, String gpus) {
    return IntStream.rangeClosed(1, nodes)
        .mapToObj(i -> "n" + i + "[" + gpus + "]")
        .collect(Collectors.joining(" ", "b/r1: ", "\n"));
  }

  /// Conditions that all nodes meet, except for the last one.
  private static NodeSelection in(String rack) {
    Requirement any = new Requirement("rack", Operator.EXISTS, List.of());
    List<Requirement> all = new ArrayList<>(Collections.nCopies(CONDITIONS - 1, any));
    all.add(new Requirement("rack", Operator.IN, List.of(rack)));
    return new NodeSelection(all, List.of(), List.of());
  }

  /// Each pod is the only one of its class.
  private static GangDraft pod(int number, int gpus, String rack) {
    return gang("a", "p" + number).priority(number).selecting(in(rack)).of(1, gpus);
  }

  private static boolean isPlanned(Scene scene, GangDraft gang) {
    return scene.cluster().reservations().contains(gang.id());
  }

  @Test
  void pods_that_no_node_matches_are_searched_a_few_each_second() {
    Scene scene = Scene.of(drawing(1_000, "#..."));
    for (int i = 0; i < 40; i++) {
      scene.arrives(pod(i, 1, "elsewhere"));
    }
    assertThat(scene.state().waiting().classes().keys()).hasSize(SEARCHED);
    assertThat(scene.after(TICK).state().waiting().classes().keys()).hasSize(2 * SEARCHED + 1);
    assertThat(scene.after(TICK).state().waiting().classes().keys()).hasSize(40);
  }

  /// So a woken class waits for the ticks where its namespace has no searches left.
  @Test
  void classes_of_such_pods_are_costly() {
    Scene scene = Scene.of(drawing(1_000, "#..."));
    scene.arrives(pod(1, 4, "r1")).arrives(gang("b", "other").of(1, 4));
    assertThat(scene.state().waiting().classes().values())
        .extracting(WaitClass::costly)
        .containsExactly(true, false);
  }

  // ---- Waking ----

  private static final int NODES = 150;
  private static final GangId HELD = gang("c", "held").id();

  /// A gang has promises on all nodes of rack r1. So many pods of `a` wait for a full node of r2.
  private static Scene withPods(int pods) {
    Scene scene = Scene.of(drawing(NODES, "........") + "b/r2: full[#]").silent();
    scene.arrives(gang("c", "held").of(NODES, 8));
    for (int i = 0; i < pods; i++) {
      scene.arrives(pod(i, 1, "r2"));
    }
    return scene.after(Duration.ofSeconds(10)); // until each has an answer
  }

  private static Scene withdrawn(Scene scene) {
    return scene.then(new Event.GangGone(scene.now(), HELD));
  }

  private static long passedOver(Scene scene) {
    return scene.state().waiting().doubtful().values().stream()
        .filter(WaitingGangs::isPassedOver)
        .count();
  }

  /// 196 classes and 150 nodes have 6 million conditions. The last one is compared in part.
  @Test
  void classes_beyond_the_conditions_of_a_step_become_doubtful() {
    Scene scene = withdrawn(withPods(230));
    assertThat(passedOver(scene)).isEqualTo(35);
  }

  @Test
  void fewer_classes_are_all_compared() {
    assertThat(passedOver(withdrawn(withPods(100)))).isZero();
  }

  @Test
  void class_of_another_namespace_wakes_at_once() {
    GangDraft other = gang("b", "other").of(1, 8).priority(-1);
    Scene scene = withdrawn(withPods(230).arrives(other));
    assertThat(passedOver(scene)).isPositive();
    assertThat(isPlanned(scene, other)).isTrue();
  }

  @Test
  void class_that_was_not_compared_starts_at_a_tick() {
    GangDraft last = gang("a", "last").of(1, 8).priority(-1);
    Scene scene = withdrawn(withPods(230).arrives(last));
    assertThat(isPlanned(scene, last)).isFalse();
    assertThat(isPlanned(scene.after(Duration.ofSeconds(5)), last)).isTrue();
  }
}
