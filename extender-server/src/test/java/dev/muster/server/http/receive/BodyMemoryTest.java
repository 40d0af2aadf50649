package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyMemoryTest {
  private static final String KNOWN = "";

  private final BodyMemory memory = new BodyMemory(120);

  @Test
  void memory_is_granted_up_to_the_limit() {
    assertThat(memory.take(KNOWN, 70)).isTrue();
    assertThat(memory.take(KNOWN, 51)).isFalse();
    assertThat(memory.take(KNOWN, 50)).isTrue();
  }

  @Test
  void released_memory_can_be_granted_again() {
    memory.take(KNOWN, 120);
    memory.give(KNOWN, 120);

    assertThat(memory.take(KNOWN, 120)).isTrue();
  }

  /// Three quarters are for strangers, and one address gets two thirds of them.
  @Test
  void address_gets_twice_what_it_leaves_free() {
    assertThat(memory.take("10.0.0.1", 60)).isTrue();
    assertThat(memory.take("10.0.0.1", 1)).isFalse();
  }

  @Test
  void address_with_much_memory_leaves_some_to_another() {
    memory.take("10.0.0.1", 60);

    assertThat(memory.take("10.0.0.2", 20)).isTrue();
  }

  @Test
  void address_that_released_its_memory_gets_it_again() {
    memory.take("10.0.0.1", 60);
    memory.give("10.0.0.1", 60);

    assertThat(memory.take("10.0.0.1", 60)).isTrue();
  }

  @Test
  void strangers_leave_a_quarter_to_known_callers() {
    for (int i = 0; i < 100; i++) {
      for (int more = 64; more > 0; more /= 2) {
        memory.take("10.0.1." + i, more);
      }
    }
    assertThat(memory.take(KNOWN, 30)).isTrue();
  }
}
