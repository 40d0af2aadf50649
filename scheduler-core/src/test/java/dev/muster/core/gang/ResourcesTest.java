package dev.muster.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResourcesTest {
  private static final Resources HUGE = Resources.of("memory", 1L << 62);

  @Test
  void sums_and_products_that_are_too_large_are_cut() {
    assertThat(HUGE.plus(HUGE).get("memory")).isEqualTo(Long.MAX_VALUE);
    assertThat(HUGE.times(1000).get("memory")).isEqualTo(Long.MAX_VALUE);
    assertThat(Resources.NONE.minus(HUGE).minus(HUGE).minus(HUGE).get("memory"))
        .isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void others_are_exact() {
    Resources some = Resources.of("memory", 3);
    assertThat(some.times(-4).plus(some).minus(some.times(2)).get("memory")).isEqualTo(-15);
  }
}
