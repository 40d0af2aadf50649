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
  void itGoesOnUntilAllWasSeenForAWhile() {
    assertThat(outage.goesOn(true, NOW)).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(9))).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(10))).isFalse();
  }

  @Test
  void aSecondLossMeanwhileMakesItLonger() {
    outage.goesOn(true, NOW);
    outage.goesOn(true, NOW.plusSeconds(8));

    assertThat(outage.goesOn(false, NOW.plusSeconds(17))).isTrue();
    assertThat(outage.goesOn(false, NOW.plusSeconds(18))).isFalse();
  }
}
