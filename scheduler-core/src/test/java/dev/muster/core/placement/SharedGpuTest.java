package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Invariants;
import dev.muster.core.kit.Scene;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// Members request parts of a GPU.
class SharedGpuTest {
  @Test
  void part_goes_where_whole_gpus_stay_whole() {
    Scene scene =
        Scene.of("b/r: n1[..] n2[..]")
            .arrives(gang("a").ofParts(1, 600))
            .arrives(gang("b").ofParts(1, 400));
    assertThat(scene.nodesOf("b")).isEqualTo(scene.nodesOf("a"));
    assertThat(scene.state("n1").freeGpus()).isEqualTo(1);
    assertThat(scene.state("n2").freeGpus()).isEqualTo(2);
  }

  @Test
  void shared_gpus_are_not_used_as_whole_ones() {
    Scene scene = Scene.of("b/r: n1[..]").arrives(gang("a").ofParts(1, 100));
    assertThat(scene.arrives(gang("b").of(1, 2)).nodesOf("b")).isEmpty();
    assertThat(scene.arrives(gang("c").of(1, 1)).nodesOf("c")).containsExactly("n1");
  }

  @Test
  void no_gpu_has_more_than_a_thousand_thousandths() {
    Scene scene = Scene.of("b/r: n1[..]").arrives(gang("a").ofParts(4, 400));
    assertThat(scene.nodesOf("a")).hasSize(4);
    assertThat(scene.arrives(gang("b").ofParts(1, 400)).nodesOf("b")).isEmpty();
    assertThat(scene.arrives(gang("c").ofParts(2, 200)).nodesOf("c")).hasSize(2);
  }

  @Test
  void parts_of_several_sizes_fit_as_promised() {
    Scene scene = Scene.of("b/r: n1[..]").arrives(gang("a").ofParts(2, 300).ofParts(2, 700));
    assertThat(scene.nodesOf("a")).hasSize(4);
    assertThat(scene.state("n1").sharedFree()).containsExactly(0, 0);
  }

  @Property(tries = 100)
  void released_parts_are_free_again_in_any_order(@ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    Scene scene = Scene.of("b/r: n1[....] n2[....]");
    List<Member> running = new ArrayList<>();
    for (int turn = 0; turn < 30; turn++) {
      if (running.isEmpty() || random.nextInt(3) > 0) {
        GangDraft gang = gang("g" + turn);
        gang = random.nextBoolean() ? gang.of(1, 1) : gang.ofParts(2, 1 + random.nextInt(999));
        scene.arrives(gang);
        running.addAll(gang.members());
      } else {
        Member gone = running.remove(random.nextInt(running.size()));
        scene.becomes(gone, new MemberState.Ended(true));
        scene.then(new Event.MemberGone(scene.now(), gone.gang(), gone.id()));
      }
      Invariants.checkNothingOversold(scene.cluster());
    }
    for (Member gone : running) {
      scene.then(new Event.MemberGone(scene.now(), gone.gang(), gone.id()));
    }
    assertThat(scene.state("n1").freeGpus() + scene.state("n2").freeGpus()).isEqualTo(8);
    assertThat(scene.cluster().mix().counts().isEmpty()).isTrue();
  }
}
