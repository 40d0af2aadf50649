package dev.muster.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class OpenStreamsTest {
  private final OpenStreams<Integer> open = new OpenStreams<>(4);
  private int numbers;

  private OpenStreams.Added<Integer> add(String address) {
    return open.add(address, numbers++);
  }

  private void add(String address, int count) {
    for (int i = 0; i < count; i++) {
      add(address);
    }
  }

  @Test
  void address_gets_all_places_if_no_other_asks() {
    add("10.0.0.1", 3);

    assertThat(add("10.0.0.1")).isEqualTo(new OpenStreams.Added<>(true, Optional.empty()));
    assertThat(add("10.0.0.1")).isEqualTo(new OpenStreams.Added<>(false, Optional.empty()));
  }

  @Test
  void other_address_gets_the_newest_place_of_the_address_with_most() {
    add("10.0.0.1", 3);
    add("10.0.0.2", 1);

    assertThat(add("10.0.0.3")).isEqualTo(new OpenStreams.Added<>(true, Optional.of(2)));
    assertThat(open.all()).containsExactly(0, 1, 3, 4);
  }

  @Test
  void address_with_one_stream_less_gets_none_of_another() {
    add("10.0.0.1", 2);
    add("10.0.0.2", 2);
    assertThat(add("10.0.0.2").isOpen()).isFalse();
    open.remove(3);
    add("10.0.0.1", 1);

    assertThat(add("10.0.0.2")).isEqualTo(new OpenStreams.Added<>(true, Optional.of(5)));
    assertThat(add("10.0.0.1").isOpen()).isFalse();
  }

  @Test
  void place_of_a_stream_that_has_ended_is_free() {
    add("10.0.0.1", 4);
    open.remove(1);

    assertThat(add("10.0.0.1").isOpen()).isTrue();
  }
}
