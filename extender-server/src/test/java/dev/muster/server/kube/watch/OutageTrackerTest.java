package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class OutageTrackerTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");

  private final OutageTracker outage = new OutageTracker();

  @Test
  void no_outage_before_the_first_loss() {
    assertThat(outage.goesOn(false, NOW)).isFalse();
  }

  @Test
  void momentary_outage_is_over_at_once() {
    assertThat(outage.goesOn(true, NOW)).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(1))).isFalse();
  }

  @Test
  void outage_counts_twice_its_duration() {
    outage.goesOn(true, NOW);
    outage.goesOn(true, NOW.plusSeconds(4));

    assertThat(outage.goesOn(false, NOW.plusSeconds(7))).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(8))).isFalse();
  }

  @Test
  void extension_is_at_most_ten_seconds() {
    outage.goesOn(true, NOW);
    outage.goesOn(true, NOW.plusSeconds(60));

    assertThat(outage.goesOn(false, NOW.plusSeconds(69))).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(70))).isFalse();
  }

  @Test
  void long_gap_between_observations_is_an_outage_without_any_loss() {
    outage.looked(NOW);
    Instant later = NOW.plus(Duration.ofHours(3));

    assertThat(outage.goesOn(false, later)).isTrue();
    outage.looked(later);
    assertThat(outage.goesOn(false, later.plusSeconds(9))).isTrue();
    outage.looked(later.plusSeconds(9));
    assertThat(outage.goesOn(false, later.plusSeconds(10))).isFalse();
  }

  @Test
  void work_after_an_observation_may_take_long() {
    assertThat(outage.goesOn(false, NOW)).isFalse();
    outage.looked(NOW.plusSeconds(60));

    assertThat(outage.goesOn(false, NOW.plusSeconds(61))).isFalse();
  }

  @Test
  void whole_outage_is_lost_time() {
    outage.goesOn(true, NOW);
    outage.goesOn(true, NOW.plusSeconds(60));
    outage.goesOn(false, NOW.plusSeconds(70));

    assertThat(outage.missed()).contains(Duration.ofSeconds(70));
  }

  @Test
  void lost_time_is_reported_once() {
    outage.goesOn(true, NOW);
    outage.goesOn(false, NOW.plusSeconds(1));
    outage.reported();

    assertThat(outage.missed()).isEmpty();
  }
}
