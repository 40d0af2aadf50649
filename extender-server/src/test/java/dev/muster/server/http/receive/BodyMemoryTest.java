package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyMemoryTest {
  private final BodyMemory memory = new BodyMemory(120);
  private final Caller known = new Caller("10.0.0.1");
  private final Caller certified = new Caller("10.0.0.1", true);
  private final Caller one = new Caller("10.0.0.1");
  private final Caller other = new Caller("10.0.0.2");

  BodyMemoryTest() {
    known.recognize();
  }

  @Test
  void certified_caller_gets_memory_up_to_the_limit() {
    assertThat(memory.take(certified, 70)).isTrue();
    assertThat(memory.take(certified, 51)).isFalse();
    assertThat(memory.take(certified, 50)).isTrue();
  }

  @Test
  void released_memory_can_be_granted_again() {
    memory.take(certified, 120);
    memory.give(certified, 120);

    assertThat(memory.take(certified, 120)).isTrue();
  }

  /// Three quarters are for strangers, and one address gets two thirds of them.
  @Test
  void address_of_a_stranger_gets_twice_what_it_leaves_free() {
    assertThat(memory.take(one, 60)).isTrue();
    assertThat(memory.take(one, 1)).isFalse();
  }

  @Test
  void address_of_a_known_caller_gets_twice_what_it_leaves_free() {
    assertThat(memory.take(known, 80)).isTrue();
    assertThat(memory.take(known, 1)).isFalse();
  }

  @Test
  void address_with_much_memory_leaves_some_to_another() {
    memory.take(one, 60);

    assertThat(memory.take(other, 20)).isTrue();
  }

  /// A pod can make itself known.
  @Test
  void known_caller_leaves_some_to_another_address() {
    memory.take(known, 80);
    other.recognize();

    assertThat(memory.take(other, 20)).isTrue();
  }

  @Test
  void address_that_released_its_memory_gets_it_again() {
    memory.take(one, 60);
    memory.give(one, 60);

    assertThat(memory.take(one, 60)).isTrue();
  }

  @Test
  void strangers_leave_a_quarter_to_known_callers() {
    for (int i = 0; i < 100; i++) {
      for (int more = 64; more > 0; more /= 2) {
        memory.take(new Caller("10.0.1." + i), more);
      }
    }
    assertThat(memory.take(known, 20)).isTrue();
  }
}
