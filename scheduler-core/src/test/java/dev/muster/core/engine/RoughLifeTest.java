package dev.muster.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.RoughWorld;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// The promises of the design in a world in which nothing works reliably: what holds once it is
/// calm again.
class RoughLifeTest {
  @Property(tries = 100)
  void once_the_world_is_calm_every_gang_is_whole_or_waits_with_a_reason(
      @ForAll @IntRange(min = 0) int seed) {
    RoughWorld world = new RoughWorld(seed);
    for (int turn = 0; turn < 60; turn++) {
      world.turn(); // every event checks the image against a recomputation from scratch
    }
    world.calm(Duration.ofMinutes(6));
    assertThat(world.cluster().reservations().isEmpty()).as("reservations end").isTrue();
    for (GangSpec spec : world.groups()) {
      List<Member> mates =
          world.pods().stream().filter(pod -> pod.gang().equals(spec.id())).toList();
      long bound = mates.stream().filter(m -> m.isBound() || m.hasSucceeded()).count();
      boolean runs = mates.stream().anyMatch(Member::isBound);
      assertThat(!runs || bound >= spec.minCount() || world.isExcused(spec.id()))
          .as("%s runs %d of %d: %s", spec.id(), bound, spec.minCount(), mates)
          .isTrue();
      boolean waits = mates.stream().anyMatch(Member::wantsNode);
      assertThat(!waits || world.state().standing().contains(spec.id()))
          .as("%s waits without a reason", spec.id())
          .isTrue();
      Attempt again = Attempt.of(spec.id(), world.state(), Policies.DEFAULT);
      assertThat(again.after().cluster().reservations().contains(spec.id()))
          .as("%s would fit but waits: %s", spec.id(), world.state().standing().get(spec.id()))
          .isFalse();
    }
    State replayed = State.empty(Scene.RACKS);
    for (Event event : world.told()) {
      replayed = new Engine(Policies.DEFAULT).step(replayed, event).after();
    }
    assertThat(replayed).isEqualTo(world.state());
  }
}
