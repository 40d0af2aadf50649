package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class OutageTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");

  private final Outage outage = new Outage();

  @Test
  void thereIsNoneBeforeTheFirstLoss() {
    assertThat(outage.goesOn(false, NOW)).isFalse();
  }

  @Test
  void aMomentIsOver() {
    assertThat(outage.goesOn(true, NOW)).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(1))).isFalse();
  }

  @Test
  void itGoesOnAsLongAgainAsItLasted() {
    outage.goesOn(true, NOW);
    outage.goesOn(true, NOW.plusSeconds(4));

    assertThat(outage.goesOn(false, NOW.plusSeconds(7))).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(8))).isFalse();
  }

  @Test
  void butNoLongerThanTenSeconds() {
    outage.goesOn(true, NOW);
    outage.goesOn(true, NOW.plusSeconds(60));

    assertThat(outage.goesOn(false, NOW.plusSeconds(69))).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(70))).isFalse();
  }
}
