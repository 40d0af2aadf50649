package dev.muster.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResourcesTest {
  private static final Resources HUGE = Resources.of("memory", 1L << 62);

  @Test
  void excessive_sums_and_products_are_capped() {
    assertThat(HUGE.plus(HUGE).get("memory")).isEqualTo(Long.MAX_VALUE);
    assertThat(HUGE.times(1000).get("memory")).isEqualTo(Long.MAX_VALUE);
    assertThat(Resources.NONE.minus(HUGE).minus(HUGE).minus(HUGE).get("memory"))
        .isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void other_sums_and_products_are_exact() {
    Resources some = Resources.of("memory", 3);
    assertThat(some.times(-4).plus(some).minus(some.times(2)).get("memory")).isEqualTo(-15);
  }
}
