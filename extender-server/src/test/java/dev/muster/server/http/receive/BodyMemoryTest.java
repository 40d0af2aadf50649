package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyMemoryTest {
  private final BodyMemory room = new BodyMemory(10);

  @Test
  void memory_is_granted_up_to_the_limit() {
    assertThat(room.take(6, true)).isTrue();
    assertThat(room.take(5, true)).isFalse();
    assertThat(room.take(4, true)).isTrue();
  }

  @Test
  void released_memory_can_be_granted_again() {
    room.take(10, true);
    room.give(10);

    assertThat(room.take(10, true)).isTrue();
  }

  @Test
  void strangers_leave_a_quarter_to_known_callers() {
    assertThat(room.take(6, false)).isTrue();
    assertThat(room.take(1, false)).isFalse();
    assertThat(room.take(4, true)).isTrue();
  }
}
