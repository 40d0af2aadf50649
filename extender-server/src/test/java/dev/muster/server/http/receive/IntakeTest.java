package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The API server sends the reviews of all tenants from one address, with or without certificate.
class IntakeTest {
  private static final int PART = 1 << 13;
  private static final int LARGE = 16 << 20;

  private final Intake intake = Intake.ofHeap();

  /// Takes memory for large reviews until there is no more.
  private Caller flooding(boolean certified) {
    Caller caller = new Caller("10.0.0.1", certified);
    for (long length : new long[] {Long.MAX_VALUE, LARGE}) {
      while (intake.reviews(length).take(caller, PART)) {
        // and more
      }
    }
    return caller;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void large_reviews_leave_memory_to_calls_of_their_address(boolean certified) {
    assertThat(intake.calls().take(flooding(certified), LARGE)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void large_reviews_leave_memory_to_small_ones_of_their_address(boolean certified) {
    assertThat(intake.reviews(Intake.SMALL).take(flooding(certified), Intake.SMALL)).isTrue();
  }

  @Test
  void a_flood_of_small_reviews_leaves_memory_to_a_large_one() {
    Caller caller = new Caller("10.0.0.1", true);
    while (intake.reviews(1).take(caller, PART)) {
      // and more
    }
    assertThat(intake.reviews(LARGE).take(caller, LARGE)).isTrue();
  }
}
