package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Events about the gangs of one namespace cost a bounded number of searches between two ticks.
class OwnEventsTest {
  private static final Duration TICK = Duration.ofSeconds(1);

  private final Scene scene = Scene.of("b/r: n1[....] n2[....]");

  /// Of its members of two kinds, three must start. Two can, so each search for it fails.
  private static GangDraft stuck(String name) {
    return gang(name).of(3, 3).of(1, 2).minCount(3);
  }

  private void isSeen(GangDraft gang, int times) {
    for (int i = 0; i < times; i++) {
      scene.then(new Event.GangSeen(scene.now(), gang.spec()));
    }
  }

  /// Returns the number of searches after that many events about the gang. Each answer has the
  /// version of the image that was searched.
  private int searches(GangDraft gang, int events) {
    long before = answer(gang);
    Set<Long> versions = new TreeSet<>();
    for (int i = 0; i < events; i++) {
      isSeen(gang, 1);
      versions.add(answer(gang));
    }
    versions.remove(before);
    return versions.size();
  }

  private long answer(GangDraft gang) {
    return scene.state().why(gang.id()).orElseThrow().clusterVersion();
  }

  @Test
  void gang_is_searched_a_few_times_and_then_once_a_tick() {
    GangDraft stuck = stuck("stuck");
    scene.arrives(stuck).after(TICK);
    assertThat(searches(stuck, 40)).isBetween(1, 4);
    long last = answer(stuck);
    scene.after(TICK);
    assertThat(answer(stuck)).isGreaterThan(last);
  }

  @Test
  void gang_of_another_namespace_starts_at_once() {
    scene.arrives(stuck("stuck"));
    isSeen(stuck("stuck"), 40);
    scene.arrives(gang("other", "train").of(2, 4));
    assertThat(scene.cluster().gang(gang("other", "train").id()).boundCount()).isEqualTo(2);
  }

  @Test
  void gang_of_the_same_namespace_starts_at_the_next_tick() {
    scene.arrives(stuck("stuck"));
    isSeen(stuck("stuck"), 40);
    scene.arrives(gang("train").of(2, 4));
    assertThat(scene.nodesOf("train")).isEmpty();
    assertThat(scene.after(TICK).nodesOf("train")).containsExactly("n1", "n2");
  }

  @Test
  void event_that_brings_capacity_is_used_at_once() {
    Resources used = Resources.of("nvidia.com/gpu", 2);
    var pod = Scene.unmanagedPod("n1");
    scene.then(new Event.UnmanagedPodSeen(scene.now(), pod, new NodeId("n1"), used, 2));
    scene.arrives(gang("train").of(2, 4)).arrives(stuck("stuck"));
    isSeen(stuck("stuck"), 40);
    isSeen(gang("train").of(2, 4), 1);
    scene.then(new Event.UnmanagedPodGone(scene.now(), pod));
    assertThat(scene.nodesOf("train")).containsExactly("n1", "n2");
  }

  /// Four gangs of higher priority have events every second, and use all that may be searched.
  @Test
  void each_gang_of_a_namespace_has_its_turn() {
    for (int i = 0; i < 4; i++) {
      scene.arrives(stuck("stuck" + i).priority(1));
    }
    scene.arrives(gang("train").of(2, 4));
    for (int second = 0; second < 2; second++) {
      for (int i = 0; i < 4; i++) {
        isSeen(stuck("stuck" + i).priority(1), 10);
      }
      scene.after(TICK);
    }
    assertThat(scene.nodesOf("train")).containsExactly("n1", "n2");
  }

  @Test
  void equal_gangs_share_an_answer_without_a_search() {
    for (int i = 0; i < 200; i++) {
      scene.arrives(gang("g" + i).of(3, 3));
    }
    assertThat(scene.state().waiting().seats().keys()).hasSize(200);
  }
}
