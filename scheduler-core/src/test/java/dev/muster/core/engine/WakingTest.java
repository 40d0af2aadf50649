package dev.muster.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Backfill;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Life;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// Nobody is forgotten, and nobody starves. Each case is a seed; jqwik prints it.
class WakingTest {
  /// Had every waiting gang been tried anew after every event, none would have started that waits.
  @Property(tries = 40)
  void after_every_event_no_gang_waits_that_would_be_admitted(@ForAll @IntRange(min = 0) int seed) {
    Life life = new Life(seed);
    for (int turn = 0; turn < 60; turn++) {
      life.turn();
      State state = life.scene().state();
      for (GangId id : state.waiting().seats().keys()) {
        Attempt again = Attempt.of(id, state, Policies.DEFAULT);
        assertThat(again.isAdmitted())
            .as("turn %d: %s would fit now but waits: %s", turn, id, state.why(id))
            .isFalse();
      }
    }
  }

  /// However many small gangs come, with whatever they say of their run time, a big one starts when
  /// it has waited for the stated bound and those have ended that ran on its place by then.
  @Property(tries = 8)
  void a_big_gang_starts_within_the_bound_whatever_small_ones_come(
      @ForAll @IntRange(min = 0) int seed) {
    Duration drainAfter = Duration.ofMinutes(5);
    int longest = 60;
    Policies policies = Policies.DEFAULT.with(new Backfill(2, drainAfter));
    Scene scene = Scene.of("b/r1: n1[....] n2[....]\nb/r2: n3[....] n4[....]", policies);
    Random random = new Random(seed);
    int[] ends = new int[400];
    int next = 0;
    boolean came = false;
    for (int second = 0; second < drainAfter.toSeconds() + 2L * longest + 60; second++) {
      if (second == 30) {
        scene.arrives(GangDraft.gang("big").of(3, 4));
        came = true;
      }
      while (random.nextInt(2) > 0 && next < ends.length) {
        GangDraft small = GangDraft.gang("s" + next).of(1, 1 + random.nextInt(4));
        boolean lies = random.nextBoolean();
        scene.arrives(
            lies ? small.running(Duration.ofSeconds(1 + random.nextInt(longest))) : small);
        next++;
      }
      for (int i = 0; i < next; i++) {
        Gang gang = scene.gang("s" + i);
        if (gang.boundCount() > 0) {
          ends[i] = ends[i] == 0 ? second + 1 + random.nextInt(longest) : ends[i];
          if (ends[i] <= second) {
            scene.ends("s" + i);
          }
        }
      }
      scene.after(Duration.ofSeconds(1));
    }
    assertThat(came && !scene.nodesOf("big").isEmpty())
        .as("big: %s", scene.state().why(GangDraft.gang("big").id()))
        .isTrue();
  }
}
