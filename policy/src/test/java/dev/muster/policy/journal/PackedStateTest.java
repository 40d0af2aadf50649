package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.kit.FaultyWorld;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A packed state equals the original state.
class PackedStateTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void engine_continues_identically_from_a_packed_state(int seed) {
    Shadow shadow = new Shadow();
    FaultyWorld world = new FaultyWorld(seed, shadow);
    for (int turn = 0; turn < 100; turn++) {
      world.turn();
    }
    assertThat(shadow.packed).as("how often it was packed").isGreaterThan(10);
  }

  @Test
  void state_that_unpacks_to_more_than_the_limit_is_refused() {
    byte[] packed = PackedState.pack(State.empty(new Topology(List.of()), Policies.DEFAULT));
    assertThatThrownBy(() -> PackedState.unpack(packed, 100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it has more than 100 bytes, the maximum");
  }

  @Test
  void malformed_state_is_refused() {
    byte[] text = "no state".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> PackedState.unpack(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Another version of Muster may have written it");
  }

  /// Goes along with the world, and packs its own state now and then.
  private static final class Shadow implements FaultyWorld.Watch {
    private Optional<State> own = Optional.empty();
    private int start;
    private int packed;

    @Override
    public void see(FaultyWorld world, Event event, Step step) {
      boolean same = own.isPresent() && start == world.starts();
      State before = same ? own.orElseThrow() : world.empty();
      start = world.starts();
      if (world.steps() % 7 == 0) {
        State again = PackedState.unpack(PackedState.pack(before));
        assertThat(again).isEqualTo(before);
        before = again;
        packed++;
      }
      Step shadow = new Engine(world.policies()).step(before, event);
      assertThat(shadow.decisions()).isEqualTo(step.decisions());
      assertThat(shadow.effects()).isEqualTo(step.effects());
      own = Optional.of(shadow.after());
    }
  }
}
