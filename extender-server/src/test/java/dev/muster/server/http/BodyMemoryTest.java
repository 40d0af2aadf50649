package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyMemoryTest {
  private final BodyMemory room = new BodyMemory(10);

  @Test
  void memory_is_granted_up_to_the_limit() {
    assertThat(room.take(6)).isTrue();
    assertThat(room.take(5)).isFalse();
    assertThat(room.take(4)).isTrue();
  }

  @Test
  void released_memory_can_be_granted_again() {
    room.take(10);
    room.give(10);

    assertThat(room.take(10)).isTrue();
  }
}
