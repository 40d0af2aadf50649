package dev.muster.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class RecentKeysTest {
  private final RecentKeys<String> keys = new RecentKeys<>(3);

  @Test
  void key_is_kept_with_its_last_change() {
    keys.add(Set.of("a"), 1);
    keys.add(Set.of("b"), 2);
    keys.add(Set.of("a"), 3);

    assertThat(keys.after(2)).containsExactly("a");
    assertThat(keys.after(1)).containsExactly("a", "b");
  }

  @Test
  void one_more_is_kept_than_can_be_named() {
    keys.add(Set.of("a", "b"), 1);
    keys.add(Set.of("c", "d", "e"), 2);

    assertThat(keys.after(0)).hasSize(4);
    assertThat(keys.after(1)).containsExactly("c", "d", "e");
  }
}
