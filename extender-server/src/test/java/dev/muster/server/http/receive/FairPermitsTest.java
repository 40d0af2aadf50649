package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FairPermitsTest {
  private final FairPermits permits = new FairPermits(12);

  private long take(String address) {
    return IntStream.range(0, 20).filter(_ -> permits.tryAcquire(address)).count();
  }

  @Test
  void address_gets_half_if_no_other_asks() {
    assertThat(take("10.0.0.1")).isEqualTo(6);
  }

  @Test
  void other_address_gets_half_of_the_rest() {
    take("10.0.0.1");
    assertThat(take("10.0.0.2")).isEqualTo(3);
  }

  @Test
  void released_permit_can_be_taken_again() {
    take("10.0.0.1");
    permits.release("10.0.0.1");
    assertThat(permits.tryAcquire("10.0.0.1")).isTrue();
  }

  @Test
  void address_that_released_all_has_no_share() {
    take("10.0.0.1");
    IntStream.range(0, 6).forEach(_ -> permits.release("10.0.0.1"));
    assertThat(take("10.0.0.2")).isEqualTo(6);
  }
}
