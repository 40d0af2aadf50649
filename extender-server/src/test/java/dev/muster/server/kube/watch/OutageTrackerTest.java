package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
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
  void outage_begins_when_the_watch_went_down() {
    outage.goesOn(true, NOW.minusSeconds(6), NOW);
    outage.goesOn(true, NOW, NOW.plusSeconds(60));
    outage.goesOn(false, NOW.plusSeconds(70), NOW.plusSeconds(70));

    assertThat(outage.missed()).contains(Duration.ofSeconds(76));
  }

  @Test
  void outage_soon_after_another_counts_half_and_is_over_at_once() {
    outage.goesOn(true, NOW);
    outage.goesOn(false, NOW.plusSeconds(1));
    outage.reported();
    outage.goesOn(true, NOW.plusSeconds(30));
    outage.goesOn(true, NOW.plusSeconds(49));

    assertThat(outage.goesOn(false, NOW.plusSeconds(50))).isFalse();
    assertThat(outage.missed()).contains(Duration.ofSeconds(10));
  }

  @Test
  void outage_after_a_steady_minute_counts_in_full() {
    outage.goesOn(true, NOW);
    outage.goesOn(false, NOW.plusSeconds(1));
    outage.reported();
    Instant later = NOW.plus(OutageTracker.STEADY);
    outage.goesOn(true, later);
    outage.goesOn(true, later.plusSeconds(60));
    outage.goesOn(false, later.plusSeconds(70));

    assertThat(outage.missed()).contains(Duration.ofSeconds(70));
  }

  /// However the watches flap, an interval ends within twice its length plus the first outage, once
  /// they are up.
  @Property(tries = 300)
  void after_the_first_outage_at_least_half_of_the_time_passes(
      @ForAll @Size(min = 2, max = 40) List<@IntRange(min = 1, max = 58) Integer> lengths) {
    OutageTracker flapping = new OutageTracker();
    Instant now = NOW;
    boolean lost = true;
    Instant first = NOW;
    Duration missed = Duration.ZERO;
    for (int length : lengths) {
      for (int second = 0; second < length; second++) {
        now = now.plusSeconds(1);
        boolean goesOn = flapping.goesOn(lost, now);
        missed = missed.plus(flapping.missed().orElse(Duration.ZERO));
        flapping.reported();
        if (!goesOn && first.equals(NOW)) {
          first = now; // the first outage is over
          missed = Duration.ZERO;
        }
        if (!goesOn && !first.equals(NOW)) {
          assertThat(missed.multipliedBy(2)).isLessThanOrEqualTo(Duration.between(first, now));
        }
        flapping.looked(now);
      }
      lost = !lost;
    }
  }

  @Test
  void lost_time_is_reported_once() {
    outage.goesOn(true, NOW);
    outage.goesOn(false, NOW.plusSeconds(1));
    outage.reported();

    assertThat(outage.missed()).isEmpty();
  }
}
