package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.WaitClass;
import dev.muster.core.state.WaitingGangs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// An event that may help many classes of gangs costs a bounded number of searches.
class ManyWaitClassesTest {
  private static final MemberId POD = Scene.unmanagedPod("cpu");

  private static Event comes(MemberId pod, String node, long cores) {
    Resources used = Resources.of(Resources.CPU, 1000 * cores);
    return new Event.UnmanagedPodSeen(Scene.START, pod, new NodeId(node), used, 0);
  }

  private static GpuModelPreference models(int number) {
    return new GpuModelPreference(List.of("H100", "m" + number), false);
  }

  /// Of each gang one member fits on n1 without the pod there, but never both. Each accepts a model
  /// of its own, so it is the only one of its class.
  private static Scene withClasses(int number) {
    Scene scene = Scene.of("b/r: n1[........] n2[........]");
    scene.then(comes(POD, "n1", 50)).then(comes(Scene.unmanagedPod("n2"), "n2", 90));
    for (int i = 0; i < number; i++) {
      scene.arrives(gang("g" + i).cores(60).of(2, 0).on(models(i)));
    }
    return scene.after(Duration.ofSeconds(10)); // no answer is doubtful any more
  }

  private static Scene withFreeCores(Scene scene) {
    return scene.then(new Event.UnmanagedPodGone(scene.now(), POD));
  }

  /// Returns the number of classes with an answer given at the instant.
  private static long answeredAt(Scene scene, Instant at) {
    return scene.state().waiting().classes().values().stream()
        .filter(waits -> waits.why().at().equals(at))
        .count();
  }

  @Test
  void event_searches_a_bounded_number_of_classes_in_vain() {
    Scene scene = withFreeCores(withClasses(100));
    assertThat(scene.state().waiting().classes().keys()).hasSize(100);
    assertThat(answeredAt(scene, scene.now())).isBetween(1L, 32L);
  }

  @Test
  void few_classes_are_all_searched_at_once() {
    Scene scene = withFreeCores(withClasses(32));
    assertThat(answeredAt(scene, scene.now())).isEqualTo(32);
  }

  @Test
  void classes_passed_over_are_searched_at_the_next_ticks() {
    Scene scene = withClasses(100);
    Instant freed = scene.now();
    withFreeCores(scene).after(Duration.ofSeconds(3));
    assertThat(scene.state().waiting().classes().values())
        .extracting(WaitClass::why)
        .allSatisfy(why -> assertThat(why.at()).isAfterOrEqualTo(freed));
  }

  /// The simulator skips ticks at which no gang can start.
  @Test
  void classes_passed_over_are_told_from_others_in_doubt() {
    Scene scene = withFreeCores(withClasses(100));
    assertThat(scene.state().waiting().doubtful().values())
        .hasSize(68)
        .allMatch(WaitingGangs::isPassedOver);
    assertThat(scene.state().waiting().doubting().doubtful().values())
        .hasSize(100)
        .filteredOn(WaitingGangs::isPassedOver)
        .hasSize(68);
  }

  @Test
  void queue_with_one_class_does_not_wait_behind_many_of_another() {
    GangDraft other = gang("other").cores(80).of(1, 0).queue("other");
    Scene scene = withClasses(100).arrives(other);
    assertThat(withFreeCores(scene).nodesOf("other")).containsExactly("n1");
  }

  /// Of the last pod's node 31 cores are free afterwards, and each gang needs 60 on one node.
  @Test
  void gangs_for_one_node_are_not_searched_before_it_has_enough() {
    Scene scene = Scene.of("b/r: n1[........]").then(comes(POD, "n1", 69));
    MemberId small = Scene.unmanagedPod("small");
    scene.then(comes(small, "n1", 1));
    for (int i = 0; i < 20; i++) {
      scene.arrives(gang("g" + i).cores(30).of(2, 0).within("node").on(models(i)));
    }
    scene.after(Duration.ofSeconds(10)).then(new Event.UnmanagedPodGone(scene.now(), small));
    assertThat(answeredAt(scene, scene.now())).isZero();
    assertThat(withFreeCores(scene).nodesOf("g0")).containsOnly("n1");
  }

  @Test
  void gangs_that_start_do_not_count() {
    Scene scene = Scene.of("b/r: n1[........]").then(comes(POD, "n1", 99));
    for (int i = 0; i < 40; i++) {
      scene.arrives(gang("g" + i).cores(2).of(1, 0).on(models(i)));
    }
    assertThat(scene.state().waiting().classes().keys()).hasSize(40);
    assertThat(withFreeCores(scene).state().waiting().classes().keys()).isEmpty();
  }
}
