package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyMemoryTest {
  private final BodyMemory room = new BodyMemory(10);

  @Test
  void is_taken_until_it_is_full() {
    assertThat(room.take(6)).isTrue();
    assertThat(room.take(5)).isFalse();
    assertThat(room.take(4)).isTrue();
  }

  @Test
  void comes_back() {
    room.take(10);
    room.give(10);

    assertThat(room.take(10)).isTrue();
  }
}
