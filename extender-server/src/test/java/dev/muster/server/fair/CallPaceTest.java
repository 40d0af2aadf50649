package dev.muster.server.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CallPaceTest {
  private static final long MILLIS = 1_000_000;

  /// Close to the overflow of the clock, which may happen at any time.
  private static final long NOW = Long.MAX_VALUE - 3 * MILLIS;

  private final CallPace pace = new CallPace(2, Duration.ofMillis(5));

  private static long after(long millis) {
    return NOW + millis * MILLIS;
  }

  private List<Long> pauses(String namespace, long now, int calls) {
    return LongStream.range(0, calls)
        .map(_ -> pace.pause(namespace, now) / MILLIS)
        .boxed()
        .toList();
  }

  @Test
  void some_calls_are_made_at_once_and_the_others_in_intervals() {
    assertThat(pauses("a", NOW, 4)).containsExactly(0L, 0L, 5L, 10L);
  }

  @Test
  void namespace_waits_for_its_own_calls_only() {
    pauses("a", NOW, 100);

    assertThat(pauses("b", NOW, 1)).containsExactly(0L);
  }

  @Test
  void pause_makes_room_for_as_many_calls_as_its_length() {
    pauses("a", NOW, 2);

    assertThat(pauses("a", after(5), 2)).containsExactly(0L, 5L);
    assertThat(pauses("a", after(1_000), 3)).containsExactly(0L, 0L, 5L);
  }

  @Test
  void recent_calls_are_remembered_beside_those_of_many_namespaces() {
    pauses("a", NOW, 10);
    for (int i = 0; i < 3_000; i++) {
      pace.pause("other-" + i, NOW);
    }

    assertThat(pauses("a", after(1), 1)).containsExactly(44L);
  }
}
